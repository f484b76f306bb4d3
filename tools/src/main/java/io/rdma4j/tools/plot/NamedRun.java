/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import io.rdma4j.tools.perf.PerfRun;
import io.rdma4j.tools.traffic.BandwidthRow;
import io.rdma4j.tools.traffic.LatencyRow;

import java.util.ArrayList;
import java.util.List;

/**
 * A run among those of a page.
 *
 * @param number from 0; chooses the colour.
 * @param name   tells it from the others.
 * @param run    what it found.
 */
record NamedRun(int number, String name, PerfRun run) {
    /** Names by test and device; runs that would have the same get a number too. */
    static List<NamedRun> of(final List<PerfRun> runs) {
        final List<NamedRun> named = new ArrayList<>();
        for (final PerfRun run : runs) {
            final String name = run.about().test().option() + " on " + run.about().device();
            final long same = runs.stream()
                .filter(other -> name.equals(other.about().test().option() + " on " + other.about().device())).count();
            named.add(new NamedRun(named.size(), same > 1 ? named.size() + 1 + ": " + name : name, run));
        }
        return named;
    }

    List<LatencyRow> latencies() {
        return run.rows().stream().filter(LatencyRow.class::isInstance).map(LatencyRow.class::cast).toList();
    }

    List<BandwidthRow> bandwidths() {
        return run.rows().stream().filter(BandwidthRow.class::isInstance).map(BandwidthRow.class::cast).toList();
    }
}
