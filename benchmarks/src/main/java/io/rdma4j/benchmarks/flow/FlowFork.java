/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

import io.rdma4j.benchmarks.harness.ChildJvm;
import io.rdma4j.benchmarks.harness.Duet;
import io.rdma4j.benchmarks.harness.Figures;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Spread;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * One JVM's share of the sections on message rate and bandwidth: measures flows in turns, and leaves for each the
 * nanoseconds per message, median of the turns.
 */
final class FlowFork {
    private static final String USAGE = "FlowFork DEVICE_ADDRESS TURNS LENGTH KIND:SLOTS:BATCH:MESSAGES_PER_TURN ...";
    private static final int WARM_UPS = 2;

    private final int turns;
    private final int length;
    private final Patience patience = new Patience();
    private final List<Row> rows = new ArrayList<>();

    private FlowFork(final int turns, final int length) {
        this.turns = turns;
        this.length = length;
    }

    public static void main(final String[] args) throws Exception {
        if (args.length < 4) {
            throw new IllegalArgumentException("usage: " + USAGE);
        }
        final FlowFork fork = new FlowFork(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
        try (RdmaContext context = RdmaDevices.open(args[0])) {
            try {
                fork.open(context, List.of(args).subList(3, args.length));
                fork.run();
            } finally {
                fork.patience.exhaust();
                fork.rows.forEach(row -> row.flow.close());
            }
        }
        final Map<String, Double> figures = new TreeMap<>();
        fork.rows.forEach(row -> figures.put(row.key, Spread.of(row.nanos).median()));
        Figures.write(ChildJvm.SECTION, figures);
    }

    private void open(final RdmaContext context, final List<String> specifications) {
        for (final String specification : specifications) {
            final String[] words = specification.split(":");
            final FlowKind kind = FlowKind.valueOf(words[0]);
            if (kind.isPossible(context)) {
                final int slots = Integer.parseInt(words[1]);
                rows.add(new Row(key(kind, slots), Long.parseLong(words[3]), turns,
                    kind.open(context, patience, new Flow.Shape(length, slots, Integer.parseInt(words[2])))));
            }
        }
    }

    /** By this its figure is called. */
    static String key(final FlowKind kind, final int slots) {
        return kind.name().toLowerCase(Locale.ROOT) + "." + slots;
    }

    private void run() throws Exception {
        for (int turn = -WARM_UPS; turn < turns; turn++) {
            for (final Row row : rows) {
                final long nanos = Duet.play(patience, () -> row.flow.produce(row.count),
                    () -> row.flow.consume(row.count));
                if (turn >= 0) {
                    row.nanos[turn] = (double) nanos / row.count;
                }
            }
        }
    }

    private static final class Row {
        private final String key;
        private final long count;
        private final double[] nanos;
        private final Flow flow;

        Row(final String key, final long count, final int turns, final Flow flow) {
            this.key = key;
            this.count = count;
            this.nanos = new double[turns];
            this.flow = flow;
        }
    }
}
