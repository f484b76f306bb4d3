/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.scaling;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What was measured, by name: samples of as many turns and processes as there were. */
final class ScalingSamples {
    /** Begins a line of {@link #lines}, so that it is told from what else a process prints. */
    private static final String MARK = "sample ";

    private final Map<String, List<Double>> samples = new LinkedHashMap<>();
    private final List<String> lines = new ArrayList<>();

    void add(final String name, final double value) {
        samples.computeIfAbsent(name, unused -> new ArrayList<>()).add(value);
        lines.add(MARK + name + " " + value);
    }

    boolean has(final String name) {
        return samples.containsKey(name);
    }

    Set<String> keys() {
        return samples.keySet();
    }

    double median(final String name) {
        return quantile(name, 0.5);
    }

    /** Half of the interquartile range. */
    private double spread(final String name) {
        return (quantile(name, 0.75) - quantile(name, 0.25)) / 2;
    }

    private double quantile(final String name, final double part) {
        final double[] sorted = samples.get(name).stream().mapToDouble(Double::doubleValue).sorted().toArray();
        final double place = part * (sorted.length - 1);
        final int below = (int) place;
        final int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }

    /** Median and spread, as a cell of a table. */
    String cell(final String name) {
        if (!has(name)) {
            return "-";
        }
        final double median = median(name);
        final int digits = median < 9.995 ? 1 : 0;
        return String.format(Locale.ROOT, "%,." + digits + "f ± %,." + digits + "f", median, spread(name));
    }

    /** For the process that started this one; in the order in which they were measured. */
    List<String> lines() {
        return List.copyOf(lines);
    }

    /** Takes over a line of another process; any other is ignored. */
    void take(final String line) {
        if (line.startsWith(MARK)) {
            final String[] parts = line.split(" ");
            add(parts[1], Double.parseDouble(parts[2]));
        }
    }
}
