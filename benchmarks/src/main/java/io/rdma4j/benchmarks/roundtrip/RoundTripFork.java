/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.ChildJvm;
import io.rdma4j.benchmarks.harness.Duet;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * One JVM's share of {@link RoundTrip}: measures the kinds that are named, in turns, and leaves figures: {@code
 * KIND.p50}, which is timed in batches and so without the clock, {@code KIND.p99} and {@code KIND.p999} of single round
 * trips, and {@code clock}, what reading it takes.
 */
final class RoundTripFork {
    /** So many round trips are timed together for p50. */
    static final int BATCH = 16;
    private static final String USAGE = "RoundTripFork DEVICE_ADDRESS TURNS ROUND_TRIPS_PER_TURN KIND ...";
    private static final long HIGHEST = TimeUnit.SECONDS.toNanos(10);
    private static final int DIGITS = 3;
    private static final int WARM_UPS = 3;
    private static final int CALLS = 1_000_000;

    private final int turns;
    private final int iterations;
    private final Patience patience = new Patience();
    private final List<Row> rows = new ArrayList<>();

    private RoundTripFork(final int turns, final int iterations) {
        this.turns = turns;
        this.iterations = iterations;
    }

    public static void main(final String[] args) throws Exception {
        if (args.length < 4) {
            throw new IllegalArgumentException("usage: " + USAGE);
        }
        final RoundTripFork fork = new RoundTripFork(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
        try (RdmaContext context = RdmaDevices.open(args[0])) {
            try {
                fork.open(context, List.of(args).subList(3, args.length));
                fork.run();
            } finally {
                fork.patience.exhaust();
                fork.rows.forEach(row -> row.exchange.close());
            }
        }
        Figures.write(ChildJvm.SECTION, fork.figures());
    }

    private void open(final RdmaContext context, final List<String> names) {
        for (final String name : names) {
            final RoundTripKind kind = RoundTripKind.valueOf(name);
            if (kind.isPossible(context)) {
                rows.add(new Row(kind, kind.open(context, patience)));
            }
        }
    }

    /** They take turns, as some machines are in a slow mode for a while. */
    private void run() throws Exception {
        for (int turn = -WARM_UPS; turn < turns; turn++) {
            for (final Row row : rows) {
                final int count = iterations / row.kind.patienceDivisor();
                measure(row, row.batches, count / BATCH, BATCH, turn >= 0);
                measure(row, row.singles, count, 1, turn >= 0);
            }
        }
    }

    private void measure(final Row row, final Histogram histogram, final int times, final int batch,
        final boolean record) throws Exception {
        final long from = row.next;
        final long to = from + (long) times * batch;
        row.next = to;
        Duet.play(patience, () -> row.ping(record ? histogram : new Histogram(HIGHEST, DIGITS), from, to, batch),
            () -> row.pong(from, to));
    }

    private Map<String, Double> figures() {
        final Map<String, Double> figures = new TreeMap<>();
        for (final Row row : rows) {
            final String key = row.kind.key();
            figures.put(key + ".p50", row.batches.getValueAtPercentile(50) / (double) BATCH);
            figures.put(key + ".p99", (double) row.singles.getValueAtPercentile(99));
            figures.put(key + ".p999", (double) row.singles.getValueAtPercentile(99.9));
        }
        figures.put("clock", nanoTime());
        return figures;
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
        private final RoundTripKind kind;
        private final Exchange exchange;
        private final Histogram batches = new Histogram(HIGHEST, DIGITS);
        private final Histogram singles = new Histogram(HIGHEST, DIGITS);
        private long next;

        Row(final RoundTripKind kind, final Exchange exchange) {
            this.kind = kind;
            this.exchange = exchange;
        }

        void pong(final long from, final long to) {
            for (long n = from; n < to; n++) {
                exchange.pong(n);
            }
        }

        void ping(final Histogram histogram, final long from, final long to, final int batch) {
            long before = System.nanoTime();
            for (long n = from; n < to; n += batch) {
                for (int k = 0; k < batch; k++) {
                    exchange.ping(n + k);
                }
                final long after = System.nanoTime();
                histogram.recordValue(Math.min(HIGHEST, after - before));
                before = after;
            }
        }
    }
}
