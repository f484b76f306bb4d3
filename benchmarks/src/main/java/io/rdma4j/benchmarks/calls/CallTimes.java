/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.calls;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.openjdk.jmh.util.ListStatistics;

/**
 * What a call took, in nanoseconds: the fastest samples and the medians. A C program tells one of each for all of its
 * samples, and a mixture of both has a median that is neither's, so they are kept apart.
 */
final class CallTimes {
    private final ListStatistics fastest = new ListStatistics();
    private final ListStatistics medians = new ListStatistics();

    /**
     * Reads what {@code calls.c} prints of one turn.
     *
     * @param lines name, fastest and median each.
     * @param into  by name; takes them in.
     */
    static void read(final List<String> lines, final Map<String, CallTimes> into) {
        for (final String line : lines) {
            final String[] words = line.split(" ");
            into.computeIfAbsent(words[0], key -> new CallTimes())
                .turn(Double.parseDouble(words[1]), Double.parseDouble(words[2]));
        }
    }

    /** A single sample, which is its own median. */
    void sample(final double nanos) {
        turn(nanos, nanos);
    }

    private void turn(final double least, final double median) {
        fastest.addValue(least);
        medians.addValue(median);
    }

    double fastest() {
        return fastest.getMin();
    }

    /** The fastest of all, and the median of the medians. */
    String cell() {
        return String.format(Locale.ROOT, "%.1f [%.1f]", fastest(), medians.getPercentile(50));
    }
}
