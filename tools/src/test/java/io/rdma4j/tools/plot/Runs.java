/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import io.rdma4j.tools.perf.PerfRun;
import io.rdma4j.tools.perf.Yardstick;
import io.rdma4j.tools.perf.yardstick.Reading;
import io.rdma4j.tools.traffic.BandwidthRow;
import io.rdma4j.tools.traffic.LatencyRow;
import io.rdma4j.tools.traffic.PerfRow;
import io.rdma4j.tools.traffic.PerfTest;

import java.util.ArrayList;
import java.util.List;

/** Runs that were never made, with figures as they might be. */
final class Runs {
    private static final double[] PERCENTILES = {0, 25, 50, 75, 90, 99, 99.9, 99.99, 100};

    private Runs() {
    }

    static PerfRun latency(final String device, final double factor, final int... sizes) {
        final List<PerfRow> rows = new ArrayList<>();
        for (final int bytes : sizes) {
            final double least = factor * (0.25 + bytes / 20_000.0);
            final List<LatencyRow.Point> points = new ArrayList<>();
            for (int i = 0; i < PERCENTILES.length; i++) {
                points.add(new LatencyRow.Point(PERCENTILES[i], least * Math.pow(1.6, i),
                    Math.round(PERCENTILES[i] * 1000)));
            }
            rows.add(new LatencyRow(bytes, 100_000, 0.1, new LatencyRow.Times(least, least * 43, least * 2.6,
                least * 2.7, 0.4, least * 6.6, least * 10.5, least * 16.8, least * 26.8), points));
        }
        return new PerfRun(about(PerfTest.SEND_LAT, device), rows, List.of(new Yardstick(
            new Reading("cache_line", "a cache line, to and fro", 1000, 66, 80, 120),
            new Reading("cache_line", "a cache line, to and fro", 1000, 67, 90, 130))));
    }

    static PerfRun bandwidth(final String device, final double factor, final int... sizes) {
        final List<PerfRow> rows = new ArrayList<>();
        for (final int bytes : sizes) {
            final double rate = factor * 4 / (1 + bytes / 4096.0);
            rows.add(new BandwidthRow(bytes, 5000, 0.1, rate * bytes, rate * bytes * 0.9, rate));
        }
        return new PerfRun(about(PerfTest.WRITE_BW, device), rows, List.of());
    }

    private static PerfRun.About about(final PerfTest test, final String device) {
        return new PerfRun.About(test, "-a", device, null, new PerfRun.Place("2026-01-02T03:04:05Z", "0.1.0", "17.0.1",
            "a processor <of> \"some\" kind", 2, 24.5, List.of("pin the threads: taskset -c 2,3")));
    }
}
