/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.tail;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** What came out of one {@link TailProcess}. */
final class TailRun {
    /** Microseconds. */
    static final long[] LONGER_THAN = {2, 5, 10, 20, 100, 1_000};
    private static final double MICROSECOND = 1e3;
    /** For the figure that counts a stall as often as round trips would have been due meanwhile. */
    private static final long DUE_NANOS = TimeUnit.MICROSECONDS.toNanos(10);

    private final Map<String, Side> sides = new HashMap<>();
    private final TailPauses pauses;
    private String heap = "";
    private long began;
    private long ended;

    TailRun(final List<String> lines, final Path log) throws IOException {
        for (final String line : lines) {
            take(line.split(" "));
        }
        pauses = new TailPauses(log, began, ended);
        sides.values().forEach(side -> side.sort(pauses));
    }

    private void take(final String[] words) throws IOException {
        switch (words[0]) {
            case "began":
                began = Long.parseLong(words[1]);
                break;
            case "ended":
                ended = Long.parseLong(words[1]);
                break;
            case "heap":
                heap = words[1] + " MB/s with " + words[2] + " % of a processor; ";
                break;
            case "exchange":
                sides.put(words[1], new Side(Long.parseLong(words[2]), Long.parseLong(words[3]),
                    Long.parseLong(words[4]), TailExchange.histogram(words[5])));
                break;
            case "slow":
                sides.get(words[1]).slow.add(new long[] {Long.parseLong(words[2]), Long.parseLong(words[3])});
                break;
            default:
                throw new IOException("not understood: " + String.join(" ", words));
        }
    }

    double percentile(final String exchange, final double percent) {
        return sides.get(exchange).histogram.getValueAtPercentile(percent);
    }

    double max(final String exchange) {
        return sides.get(exchange).histogram.getMaxValue();
    }

    double maxOutside(final String exchange) {
        return sides.get(exchange).maxOutside;
    }

    /** The columns of a row of the table of percentiles. */
    String percentiles(final String exchange) {
        final Side side = sides.get(exchange);
        return String.format(Locale.ROOT, "%.0f | %.0f | %.0f | %s | %s | %s | %s",
            percentile(exchange, 50), percentile(exchange, 99), percentile(exchange, 99.9),
            micros(percentile(exchange, 99.99)), micros(max(exchange)), micros((double) side.maxOutside),
            micros((double) side.histogram.copyCorrectedForCoordinatedOmission(DUE_NANOS).getValueAtPercentile(99.9)));
    }

    /** The columns of a row of the table of what took long. */
    String stalls(final String exchange) {
        final Side side = sides.get(exchange);
        final double seconds = side.nanos / 1e9;
        final StringBuilder cells = new StringBuilder(String.format(Locale.ROOT, "%,.0f",
            side.histogram.getTotalCount() / seconds));
        for (final long micros : LONGER_THAN) {
            cells.append(String.format(Locale.ROOT, " | %,.1f",
                side.histogram.getCountBetweenValues(TimeUnit.MICROSECONDS.toNanos(micros), Long.MAX_VALUE)
                    / seconds));
        }
        return cells.append(String.format(Locale.ROOT, " | %.1f | %.0f | %.0f", side.inPauses / seconds,
            side.forced / seconds, side.waited / seconds)).toString();
    }

    private static String micros(final double nanos) {
        return String.format(Locale.ROOT, "%,.1f", nanos / MICROSECOND);
    }

    String describe() {
        return heap + pauses.describe((ended - began) / 1e9);
    }

    /** One exchange. */
    private static final class Side {
        private final long nanos;
        private final long forced;
        private final long waited;
        private final Histogram histogram;
        /** End and duration of each. */
        private final List<long[]> slow = new ArrayList<>();
        private int inPauses;
        private long maxOutside;

        Side(final long nanos, final long forced, final long waited, final Histogram histogram) {
            this.nanos = nanos;
            this.forced = forced;
            this.waited = waited;
            this.histogram = histogram;
        }

        void sort(final TailPauses pauses) {
            for (final long[] one : slow) {
                if (pauses.touch(one[0] - one[1], one[0])) {
                    inPauses++;
                } else {
                    maxOutside = Math.max(maxOutside, one[1]);
                }
            }
        }
    }
}
