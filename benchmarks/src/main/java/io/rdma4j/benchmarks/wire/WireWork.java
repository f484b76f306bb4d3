/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.wire;

import io.rdma4j.tools.traffic.BandwidthRow;
import io.rdma4j.tools.traffic.LatencyRow;
import io.rdma4j.tools.traffic.PerfOptions;
import io.rdma4j.tools.traffic.PerfRow;
import io.rdma4j.tools.traffic.PerfTest;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** What {@code rdma4j perf} is asked to measure between two processes. */
enum WireWork {
    SEND_TRIP("RC SEND 64 B, there and back", PerfTest.SEND_LAT, 64),
    WRITE_TRIP("RDMA WRITE 64 B, there and back", PerfTest.WRITE_LAT, 64),
    SEND_RATE("RC SEND 64 B, one way", PerfTest.SEND_BW, 64),
    WRITE_RATE("RDMA WRITE 64 B, one way", PerfTest.WRITE_BW, 64),
    SEND_64K("RC SEND 64 KiB, one way", PerfTest.SEND_BW, 1 << 16),
    WRITE_64K("RDMA WRITE 64 KiB, one way", PerfTest.WRITE_BW, 1 << 16),
    SEND_1M("RC SEND 1 MiB, one way", PerfTest.SEND_BW, 1 << 20),
    WRITE_1M("RDMA WRITE 1 MiB, one way", PerfTest.WRITE_BW, 1 << 20);

    /** Those that udp is measured with. */
    static final List<WireWork> OVER_UDP = List.of(SEND_TRIP, WRITE_TRIP, SEND_64K);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int RECEIVES = 512;

    private final String title;
    private final PerfTest test;
    private final int bytes;

    WireWork(final String title, final PerfTest test, final int bytes) {
        this.title = title;
        this.test = test;
        this.bytes = bytes;
    }

    String title() {
        return title;
    }

    String key() {
        return name().toLowerCase(Locale.ROOT);
    }

    int bytes() {
        return bytes;
    }

    String unit() {
        return test.isLatency() ? "µs" : isRate() ? "M/s" : "GB/s";
    }

    boolean isTrip() {
        return test.isLatency();
    }

    private boolean isRate() {
        return this == SEND_RATE || this == WRITE_RATE;
    }

    /** Small messages go in lists, few of which make a completion, as in perf's msg_rate. */
    PerfOptions options(final Duration duration) {
        final PerfTest depths = isRate() ? PerfTest.MSG_RATE : test;
        return new PerfOptions(test, new PerfOptions.Load(List.of(bytes), 0, duration, 0L, false, false),
            new PerfOptions.Queues(1, depths.defaultCqMod(), depths.defaultTxDepth(), RECEIVES,
                depths.defaultPostList(), 0, null, 0), false, PATIENCE);
    }

    /** In {@link #unit()}. */
    double figure(final PerfRow row) {
        if (row instanceof LatencyRow) {
            return ((LatencyRow) row).usec().p50() * test.divisor();
        }
        final double millions = ((BandwidthRow) row).rate();
        return isRate() ? millions : millions * bytes / 1_000;
    }
}
