/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.scaling;

import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Rows of a table that are compared with each other: all are opened before the first is measured, and they take turns,
 * as some machines are in a slow mode for a while, and as code that is compiled for the first row alone is compiled
 * anew for the second.
 */
final class ScalingTurns implements AutoCloseable {
    /** Turns that do not count: in them the compiler is still at work. */
    private static final int WARM_UPS = 5;

    private final Deque<RdmaContext> contexts = new ArrayDeque<>();
    private final List<Row> rows = new ArrayList<>();

    /** One of them. */
    @FunctionalInterface
    interface Row {
        /** Measures it once. */
        void measure(ScalingSamples to) throws IOException, InterruptedException;
    }

    /** A device for a row; closed with this. */
    RdmaContext open(final String address) {
        final RdmaContext context = RdmaDevices.open(address);
        contexts.push(context);
        return context;
    }

    void add(final Row row) {
        rows.add(row);
    }

    void play(final int turns, final ScalingSamples samples) throws IOException, InterruptedException {
        for (int turn = -WARM_UPS; turn < turns; turn++) {
            final ScalingSamples to = turn < 0 ? new ScalingSamples() : samples;
            for (final Row row : rows) {
                row.measure(to);
            }
        }
    }

    @Override
    public void close() {
        while (!contexts.isEmpty()) {
            contexts.pop().close();
        }
    }
}
