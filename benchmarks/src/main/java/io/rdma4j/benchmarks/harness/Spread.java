/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * What several forks found for one figure: the median, and how far they are apart.
 *
 * @param median  the value in the middle
 * @param lowest  of all values
 * @param highest of all values
 */
public record Spread(double median, double lowest, double highest) {
    /**
     * Of values, in any order.
     *
     * @param values at least one
     * @return their spread
     */
    public static Spread of(final double... values) {
        if (values.length == 0) {
            throw new IllegalArgumentException("no fork has found this figure");
        }
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        final int middle = sorted.length / 2;
        final double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    /**
     * The figure of one name in all forks that have it.
     *
     * @param forks what they found
     * @param key   its name
     * @return its spread
     */
    public static Spread of(final List<Map<String, Double>> forks, final String key) {
        return of(forks.stream().map(fork -> fork.get(key)).filter(Objects::nonNull).mapToDouble(value -> value)
            .toArray());
    }

    /**
     * How many times the second figure the first one is, by each fork for itself: they were measured side by side.
     *
     * @param forks     what they found
     * @param key       the name of what is divided
     * @param yardstick the name of what it is divided by
     * @return the spread of the ratios
     */
    public static Spread ofRatios(final List<Map<String, Double>> forks, final String key, final String yardstick) {
        return of(forks.stream().filter(fork -> fork.containsKey(key) && fork.containsKey(yardstick))
            .mapToDouble(fork -> fork.get(key) / fork.get(yardstick)).toArray());
    }

    /**
     * The median, and from lowest to highest in parentheses.
     *
     * @param digits behind the point
     * @return a cell of a table
     */
    public String text(final int digits) {
        final String number = "%,." + digits + "f";
        return String.format(Locale.ROOT, number + " (" + number + "..." + number + ")", median, lowest, highest);
    }
}
