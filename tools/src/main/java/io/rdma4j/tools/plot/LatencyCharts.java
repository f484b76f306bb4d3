/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import io.rdma4j.tools.traffic.LatencyRow;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** What latency tests found: times by percentile for each size, and by size. */
final class LatencyCharts {
    private static final String UNIT = "microseconds";

    private LatencyCharts() {
    }

    /** Charts of all runs that are latency tests; empty if there are none. */
    static List<Chart> of(final List<NamedRun> runs) {
        final List<Chart> charts = new ArrayList<>();
        final TreeSet<Integer> sizes = new TreeSet<>();
        runs.forEach(run -> run.latencies().forEach(row -> sizes.add(row.bytes())));
        if (sizes.size() > 1) {
            charts.add(bySize(runs));
        }
        sizes.forEach(bytes -> charts.add(byPercentile(runs, bytes)));
        return charts;
    }

    private static Chart bySize(final List<NamedRun> runs) {
        final List<Series> lines = new ArrayList<>();
        for (final NamedRun run : runs) {
            if (!run.latencies().isEmpty()) {
                lines.add(bySize(run, "median", false, row -> row.usec().p50()));
                lines.add(bySize(run, "99 %", true, row -> row.usec().p99()));
            }
        }
        return new Chart("Latency by size", sizes(lines), times(lines), lines);
    }

    private static Series bySize(
        final NamedRun run, final String what, final boolean dashed, final ToDoubleFunction<LatencyRow> time) {
        return new Series(run.name() + ", " + what, run.number(), dashed, run.latencies().stream()
            .map(row -> new Series.Point(row.bytes(), time.applyAsDouble(row),
                String.format(Locale.ROOT, "%d bytes, %.3f us", row.bytes(), time.applyAsDouble(row)))).toList());
    }

    private static Chart byPercentile(final List<NamedRun> runs, final int bytes) {
        final List<Series> lines = new ArrayList<>();
        for (final NamedRun run : runs) {
            run.latencies().stream().filter(row -> row.bytes() == bytes)
                .forEach(row -> lines.add(distribution(run, row)));
        }
        // The last point of a distribution is at 100 %, which has no place: it stands behind the last one before it.
        final double most = points(lines).mapToDouble(Series.Point::x).max().orElse(99);
        return new Chart("Latency by percentile, " + bytes + (bytes == 1 ? " byte" : " bytes"),
            Axis.ofPercentiles(most), times(lines), lines);
    }

    private static Series distribution(final NamedRun run, final LatencyRow row) {
        final double last = 100 - 50.0 / Math.max(1, row.iterations());
        return new Series(run.name(), run.number(), false, row.distribution().stream()
            .map(point -> new Series.Point(Math.min(point.percentile(), last), point.usec(),
                String.format(Locale.ROOT, "%s %% are not longer than %.3f us", Axis.shortest(point.percentile()),
                    point.usec()))).toList());
    }

    private static Axis times(final List<Series> lines) {
        return values(UNIT, lines, 20);
    }

    /** By powers of ten where the largest value is further from the least above 0 than a factor, and none is below. */
    static Axis values(final String unit, final List<Series> lines, final double factor) {
        final double[] values = points(lines).mapToDouble(Series.Point::y).toArray();
        final double most = DoubleStream.of(values).max().orElse(1);
        final double least = DoubleStream.of(values).filter(value -> value > 0).min().orElse(most);
        return most > factor * least && DoubleStream.of(values).noneMatch(value -> value < 0)
            ? Axis.ofPowers(unit, 10, values, Axis::shortest) : Axis.linear(unit, values, Axis::shortest);
    }

    static Axis sizes(final List<Series> lines) {
        return Axis.ofPowers("bytes of a message", 2, points(lines).mapToDouble(Series.Point::x).toArray(), Axis::size);
    }

    static Stream<Series.Point> points(final List<Series> lines) {
        return lines.stream().flatMap(line -> line.points().stream());
    }
}
