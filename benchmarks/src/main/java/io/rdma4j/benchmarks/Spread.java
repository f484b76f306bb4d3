/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** What several forks found for one figure: the median, and how far they are apart. */
record Spread(double median, double lowest, double highest) {
    static Spread of(final double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no fork has found this figure");
        }
        final double[] sorted = values.clone();
        java.util.Arrays.sort(sorted);
        final int middle = sorted.length / 2;
        final double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    /** The figure of this name in all forks that have it. */
    static Spread of(final List<Map<String, Double>> forks, final String key) {
        return of(forks.stream().map(fork -> fork.get(key)).filter(Objects::nonNull).mapToDouble(value -> value)
            .toArray());
    }

    /** How many times the second figure the first one is, by each fork for itself: they were measured side by side. */
    static Spread ofRatios(final List<Map<String, Double>> forks, final String key, final String yardstick) {
        return of(forks.stream().filter(fork -> fork.containsKey(key) && fork.containsKey(yardstick))
            .mapToDouble(fork -> fork.get(key) / fork.get(yardstick)).toArray());
    }

    /** The median, and from lowest to highest in parentheses. */
    String text(final int digits) {
        final String number = "%,." + digits + "f";
        return String.format(Locale.ROOT, number + " (" + number + "..." + number + ")", median, lowest, highest);
    }
}
