/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import java.util.List;

/**
 * A size of a latency test. All times are what {@link PerfTest#timeIs()} says, in microseconds.
 *
 * @param bytes        of a message.
 * @param iterations   round trips or operations.
 * @param seconds      from the first to the last.
 * @param usec         the times in short.
 * @param distribution the times by percentile, from the shortest to the longest.
 */
public record LatencyRow(int bytes, long iterations, double seconds, Times usec, List<Point> distribution)
    implements PerfRow {
    /**
     * Times in short, in microseconds. A percentile that has fewer than one time beyond it is the longest.
     *
     * @param min   the shortest.
     * @param max   the longest.
     * @param p50   the median: t_typical in perftest.
     * @param avg   the mean.
     * @param stdev the standard deviation.
     * @param p90   90 of 100 are not longer.
     * @param p99   99 of 100.
     * @param p999  999 of 1,000.
     * @param p9999 9,999 of 10,000.
     */
    public record Times(
        double min, double max, double p50, double avg, double stdev, double p90, double p99, double p999,
        double p9999) {
    }

    /**
     * A point of the distribution.
     *
     * @param percentile 0 to 100.
     * @param usec       so many percent are not longer.
     * @param count      how many are not longer.
     */
    public record Point(double percentile, double usec, long count) {
    }
}
