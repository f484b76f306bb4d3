/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import io.rdma4j.tools.traffic.BandwidthRow;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What bandwidth tests found: bytes and messages a second, by size. */
final class BandwidthCharts {
    /** Beyond it small messages would all lie on the axis. */
    private static final double TWO_DECADES = 100;

    private BandwidthCharts() {
    }

    /** Charts of all runs that are bandwidth tests; empty if there are none. */
    static List<Chart> of(final List<NamedRun> runs) {
        final List<NamedRun> measured = runs.stream().filter(run -> !run.bandwidths().isEmpty()).toList();
        if (measured.isEmpty()) {
            return List.of();
        }
        return List.of(
            chart("Bandwidth by size", "MiB a second", measured, "average", BandwidthRow::average, "peak",
                BandwidthRow::peak),
            chart("Message rate by size", "million messages a second", measured, "", BandwidthRow::rate, null, null));
    }

    private static Chart chart(
        final String title, final String unit, final List<NamedRun> runs, final String first,
        final ToDoubleFunction<BandwidthRow> value, final String second, final ToDoubleFunction<BandwidthRow> other) {
        final List<Series> lines = new ArrayList<>();
        for (final NamedRun run : runs) {
            lines.add(line(run, first, false, unit, value));
            if (other != null) {
                lines.add(line(run, second, true, unit, other));
            }
        }
        return new Chart(title, LatencyCharts.sizes(lines), LatencyCharts.values(unit, lines, TWO_DECADES), lines);
    }

    private static Series line(
        final NamedRun run, final String what, final boolean dashed, final String unit,
        final ToDoubleFunction<BandwidthRow> value) {
        return new Series(run.name() + (what.isEmpty() ? "" : ", " + what), run.number(), dashed,
            run.bandwidths().stream().map(row -> new Series.Point(row.bytes(), value.applyAsDouble(row),
                String.format(Locale.ROOT, "%d bytes, %.3f %s", row.bytes(), value.applyAsDouble(row), unit)))
                .toList());
    }
}
