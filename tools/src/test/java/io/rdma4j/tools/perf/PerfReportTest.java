/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.tools.perf.yardstick.Reading;
import io.rdma4j.tools.traffic.LatencyRow;
import io.rdma4j.tools.traffic.PerfTest;
import org.junit.jupiter.api.Test;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class PerfReportTest {
    private static String printed(final double before, final double after) {
        final PerfRun run = new PerfRun(new PerfRun.About(PerfTest.SEND_LAT, "-s 2 -n 3", "emulated:a", "emulated:b",
            new PerfRun.Place("2026-01-02T03:04:05Z", "0.1.0", "a JVM", "a CPU", 2, 24.5, List.of("Some advice."))),
            List.of(new LatencyRow(2, 3, 0.5, new LatencyRow.Times(1, 9, 2.5, 3, 4, 5, 6, 7, 8), List.of())),
            List.of(new Yardstick(new Reading("cache_line", "cache line", 5, before, 200, 300),
                new Reading("cache_line", "cache line", 6, after, 200, 300))));
        final StringWriter text = new StringWriter();
        final PrintWriter out = new PrintWriter(text);
        new PerfReport(run, false, out).print(false);
        out.flush();
        return text.toString();
    }

    @Test
    void everythingIsSaid() {
        assertThat(printed(100, 100).lines()).containsExactly(
            "-".repeat(87),
            "                    Send Latency Test",
            " Device         : emulated:a <-> emulated:b",
            " Connection type: RC, options: -s 2 -n 3",
            "-".repeat(87),
            " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   "
                + "99% percentile[usec]   99.9% percentile[usec] ",
            " 2      3              1.00           9.00         2.50               3.00           4.00            6.00"
                + "                   7.00",
            "-".repeat(87),
            "#bytes  p50[usec]  p90[usec]  p99[usec]  p99.9[usec]  p99.99[usec]  max[usec]",
            "     2      2.500      5.000      6.000        7.000         8.000      9.000",
            "A time is half a round trip. Reading the clock takes 25 ns here, once in each round trip.",
            "Coordinated omission: " + PerfFile.COORDINATED_OMISSION + ".",
            "Yardsticks of the same run: round trips between two threads, in nanoseconds.",
            " yardstick  p50 before  p50 after  p99 before  p99 after  test / yardstick",
            "cache line         100        100         200        200              50.0",
            "The test is the p50 of a round trip with 2 bytes: 5000 ns.",
            "Some advice.");
    }

    @Test
    void aMachineThatChangedItsPaceIsToldOf() {
        assertThat(printed(100, 133)).doesNotContain("changed its pace");
        assertThat(printed(100, 134)).contains("changed its pace");
        assertThat(printed(134, 100)).contains("changed its pace").doesNotContain("seldom ran");
        assertThat(printed(900, 1_001)).contains("seldom ran at the same time");
    }
}
