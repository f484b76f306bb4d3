/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Takes the times of one size. Allocates nothing in {@link #record}. */
final class Recorder {
    private static final long LONGEST = TimeUnit.HOURS.toNanos(2);
    private static final int SIGNIFICANT_DIGITS = 3;
    private static final int POINTS_PER_HALVING = 5;
    private static final double NANOS_PER_MICRO = 1_000.0;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double P50 = 50;
    private static final double P90 = 90;
    private static final double P99 = 99;
    private static final double P999 = 99.9;
    private static final double P9999 = 99.99;

    private final Histogram histogram = new Histogram(1, LONGEST, SIGNIFICANT_DIGITS);
    private final long[] samples;
    private final double unit;
    private int kept;
    private long min = Long.MAX_VALUE;
    private long max;
    private long sum;

    /**
     * Makes room.
     *
     * @param samples how many times to keep one by one; the rest goes into the histogram alone.
     * @param divisor what a time is divided by to get what is reported.
     */
    Recorder(final int samples, final int divisor) {
        this.samples = new long[samples];
        unit = NANOS_PER_MICRO * divisor;
    }

    static Recorder of(final PerfOptions options) {
        return new Recorder(options.load().samples() ? Math.toIntExact(options.load().iterations()) : 0,
            options.test().divisor());
    }

    void reset() {
        histogram.reset();
        kept = 0;
        min = Long.MAX_VALUE;
        max = 0;
        sum = 0;
    }

    void record(final long nanos) {
        histogram.recordValue(Math.min(LONGEST, nanos));
        min = Math.min(min, nanos);
        max = Math.max(max, nanos);
        sum += nanos;
        if (kept < samples.length) {
            samples[kept++] = nanos;
        }
    }

    /** The times in the order in which they were measured, in microseconds, as reported. */
    double[] samples() {
        return Arrays.stream(samples, 0, kept).mapToDouble(nanos -> nanos / unit).toArray();
    }

    LatencyRow row(final int bytes) {
        final long count = histogram.getTotalCount();
        return new LatencyRow(bytes, count, sum / NANOS_PER_SECOND, new LatencyRow.Times(min / unit, max / unit,
            at(P50), sum / (count * unit), histogram.getStdDeviation() / unit, at(P90), at(P99), at(P999), at(P9999)),
            distribution());
    }

    /** The histogram rounds up, but nothing is longer than the longest. */
    private double at(final double percentile) {
        return clamped(histogram.getValueAtPercentile(percentile)) / unit;
    }

    private double clamped(final long nanos) {
        return Math.max(min, Math.min(max, nanos));
    }

    private List<LatencyRow.Point> distribution() {
        final List<LatencyRow.Point> points = new ArrayList<>();
        for (final HistogramIterationValue value : histogram.percentiles(POINTS_PER_HALVING)) {
            points.add(new LatencyRow.Point(value.getPercentileLevelIteratedTo(),
                clamped(value.getValueIteratedTo()) / unit, value.getTotalCountToThisValue()));
        }
        return List.copyOf(points);
    }
}
