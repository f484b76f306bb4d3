/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks;

import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/**
 * Measures round trips of 64 bytes between two threads: a bounced cache line, a pair of Agrona rings, RC SENDs and RDMA
 * WRITEs through a device; and READs and compare-and-swaps, which one thread does alone. They take turns, as some
 * machines are in a slow mode for a while.
 */
public final class RoundTrip {
    private static final String USAGE = "usage: RoundTrip [--quick] [--doc FILE] [DEVICE_ADDRESS]";
    private static final long HIGHEST = TimeUnit.SECONDS.toNanos(10);
    private static final int DIGITS = 3;
    private static final int FLOOR_BATCH = 16;
    private static final int CALLS = 1_000_000;
    private static final long DEADLINE_SECONDS = 180;

    private final int rounds;
    private final int iterations;
    private final RdmaContext context;
    private final Exchange.Patience patience = new Exchange.Patience();
    private final List<Row> rows = new ArrayList<>();

    private RoundTrip(final boolean quick, final String address) {
        rounds = quick ? 3 : 10;
        iterations = quick ? 40_000 : 400_000;
        rows.add(new Row("cache line bounced (F)", 2, new CacheLineExchange(patience), FLOOR_BATCH));
        rows.add(new Row("two Agrona one-to-one rings", 2, new RingPairExchange(patience), 1));
        context = RdmaDevices.open(address);
        final String device = ", `" + address + "`";
        rows.add(new Row("RC SEND" + device, 2, new SendExchange(context, patience), 1));
        rows.add(new Row("fabric send" + device, 2, new FabricExchange(context, patience, false, false), 1));
        rows.add(new Row("reliable datagrams (RDM) send" + device, 2, new RdmExchange(context, patience), 1));
        if (context.supports(Feature.RDMA_WRITE)) {
            rows.add(new Row("RDMA WRITE, memory polled" + device, 2, new WriteExchange(context, patience), 1));
            rows.add(new Row("fabric write, keys of the device, memory polled" + device, 2,
                new FabricExchange(context, patience, true, false), 1));
            rows.add(new Row("fabric write, keys of the application, memory polled" + device, 2,
                new FabricExchange(context, patience, true, true), 1));
        }
        if (context.supports(Feature.RDMA_READ)) {
            rows.add(new Row("RDMA READ" + device, 1, new ReadExchange(context, patience), 1));
        }
        if (context.supports(Feature.ATOMICS)) {
            rows.add(new Row("compare-and-swap of 8 bytes" + device, 1, new SwapExchange(context, patience), 1));
        }
    }

    /**
     * Prints the table, and writes it into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if the device fails or an answer does not come in time
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final RoundTrip roundTrip = new RoundTrip(arguments.quick(), arguments.operandOr("emulated:"));
        final List<String> table = roundTrip.run();
        table.forEach(System.out::println);
        arguments.writeDocument("roundtrip", table);
    }

    private List<String> run() throws Exception {
        try {
            for (int round = -1; round < rounds; round++) {
                for (final Row row : rows) {
                    measure(row, round >= 0);
                }
            }
        } finally {
            patience.exhaust();
            rows.forEach(row -> row.exchange.close());
            context.close();
        }
        return table();
    }

    private void measure(final Row row, final boolean record) throws Exception {
        final int batches = iterations / row.batch;
        final long from = row.next;
        final CompletableFuture<Void> server = start("server", () -> {
            for (long n = from; n < from + (long) batches * row.batch; n++) {
                row.exchange.pong(n);
            }
        });
        final CompletableFuture<Void> client = start("client", () -> row.ping(batches, record));
        await(client);
        await(server);
    }

    private static CompletableFuture<Void> start(final String name, final Runnable work) {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        final Thread thread = new Thread(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (final RuntimeException e) {
                done.completeExceptionally(e);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return done;
    }

    private void await(final CompletableFuture<Void> side) throws IOException, InterruptedException {
        try {
            side.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
        } catch (final TimeoutException | ExecutionException e) {
            patience.exhaust();
            throw new IOException("a round trip failed", e);
        }
    }

    private List<String> table() {
        final List<String> lines = new ArrayList<>();
        lines.add("| round trip of 64 bytes | threads | p50 ns | p99 ns | p99.9 ns | p50 / F |");
        lines.add("|---|--:|--:|--:|--:|--:|");
        final double floor = rows.get(0).percentile(50);
        for (final Row row : rows) {
            lines.add(String.format(Locale.ROOT, "| %s | %d | %.0f | %.0f | %.0f | %.1f |", row.name, row.threads,
                row.percentile(50),
                row.percentile(99), row.percentile(99.9), row.percentile(50) / floor));
        }
        lines.add("");
        lines.add(String.format(Locale.ROOT, "%,d round trips of each, in %d turns; F is timed in batches of %d, "
            + "the others include one `System.nanoTime`, which takes %.0f ns.", (long) rounds * iterations, rounds,
            FLOOR_BATCH, nanoTime()));
        lines.addAll(Machine.describe());
        return lines;
    }

    private static double nanoTime() {
        final long began = System.nanoTime();
        long last = began;
        for (int i = 0; i < CALLS; i++) {
            last = System.nanoTime();
        }
        return (double) (last - began) / CALLS;
    }

    /** What is measured, and what was found. */
    private static final class Row {
        private final String name;
        private final int threads;
        private final Exchange exchange;
        private final int batch;
        private final Histogram histogram = new Histogram(HIGHEST, DIGITS);
        private long next;

        Row(final String name, final int threads, final Exchange exchange, final int batch) {
            this.name = name;
            this.threads = threads;
            this.exchange = exchange;
            this.batch = batch;
        }

        void ping(final int batches, final boolean record) {
            long before = System.nanoTime();
            for (int i = 0; i < batches; i++) {
                for (int k = 0; k < batch; k++) {
                    exchange.ping(next++);
                }
                final long after = System.nanoTime();
                if (record) {
                    histogram.recordValue(Math.min(HIGHEST, after - before));
                }
                before = after;
            }
        }

        double percentile(final double percent) {
            return (double) histogram.getValueAtPercentile(percent) / batch;
        }
    }
}
