/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.tail;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.roundtrip.Exchange;
import io.rdma4j.benchmarks.roundtrip.RoundTrips;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What {@link Tail} runs in a JVM of its own: all exchanges in turns, with or without a busy heap beside them. */
final class TailProcess {
    /** In the order of the table. */
    static final List<String> EXCHANGES = List.of("floor", "rings", "send", "write");
    static final String BUSY = "busy";
    /** Those that are measured for all of the time, with a busy heap: the rest is there to compare with. */
    static final List<String> SUBJECTS = List.of("send", "write");
    /** How much of the time the others get. */
    static final int SHARE = 3;
    private static final long MOST_PER_TURN = TimeUnit.SECONDS.toNanos(5);
    private static final long WARM_UP = TimeUnit.MILLISECONDS.toNanos(200);

    private final Map<String, TailExchange> exchanges = new LinkedHashMap<>();
    private final Patience patience = new Patience();

    private TailProcess() {
    }

    /**
     * Measures.
     *
     * @param args milliseconds for each exchange, and whether the heap is busy
     */
    public static void main(final String[] args) throws Exception {
        new TailProcess().run(TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[0])), args[1].equals(BUSY))
            .forEach(System.out::println);
    }

    private List<String> run(final long nanos, final boolean busy) throws IOException, InterruptedException {
        final List<String> lines = new ArrayList<>();
        try (RdmaContext context = RdmaDevices.open(RdmaDevices.DEFAULT_ADDRESS)) {
            add("floor", RoundTrips.cacheLine(patience));
            add("rings", RoundTrips.rings(patience));
            add("send", RoundTrips.send(context, patience));
            add("write", RoundTrips.write(context, patience));
            turn(WARM_UP, false, true);
            final TailHeap heap = busy ? TailHeap.start() : null;
            turn(WARM_UP, false, true);
            lines.add("began " + System.nanoTime());
            final int turns = (int) Math.max(2, nanos / MOST_PER_TURN);
            for (int i = 0; i < turns; i++) {
                turn(nanos / turns, true, busy);
            }
            lines.add("ended " + System.nanoTime());
            if (heap != null) {
                heap.stop();
                lines.add("heap " + heap.megabytesPerSecond() + " " + heap.percentOfProcessor());
            }
            patience.exhaust();
        }
        exchanges.forEach((name, exchange) -> exchange.report(name, lines));
        return lines;
    }

    private void add(final String name, final Exchange exchange) {
        exchanges.put(name, new TailExchange(exchange, patience));
    }

    private void turn(final long nanos, final boolean record, final boolean busy)
        throws IOException, InterruptedException {
        for (final Map.Entry<String, TailExchange> exchange : exchanges.entrySet()) {
            final boolean whole = busy && SUBJECTS.contains(exchange.getKey());
            exchange.getValue().run(whole ? nanos : nanos / SHARE, record);
        }
    }
}
