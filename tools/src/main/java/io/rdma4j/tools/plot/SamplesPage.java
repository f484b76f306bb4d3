/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import io.rdma4j.RdmaException;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A page that shows figures over time, such as those of a long test: a chart for each group of columns. */
public final class SamplesPage {
    private static final String TITLE = "rdma4j samples";
    /** Where values lie further apart, small ones would all lie on the axis. */
    private static final double TWO_DECADES = 100;

    private SamplesPage() {
    }

    /**
     * Whether a file is one of these, and not a run of {@code rdma4j perf}.
     *
     * @param file which; need not be there.
     * @return true for one whose name ends with {@code .tsv}.
     */
    public static boolean draws(final Path file) {
        return file.toString().endsWith(Samples.SUFFIX);
    }

    /**
     * Writes a page.
     *
     * @param file  where to, as {@link io.rdma4j.tools.text.OwnFile#write} takes it; replaced if it is there.
     * @param files what to show, at least one: a line of names and lines of numbers, with a tab between them. The first
     *              column is what the others are drawn over; those named {@code chart/line} share a chart. Lines that
     *              begin with {@code #} are remarks, which are shown.
     * @throws RdmaException EINVAL without files, and for one that is not like this; EIO if one cannot be read, or the
     *                       page cannot be written.
     */
    public static void write(final Path file, final List<Path> files) {
        if (files.isEmpty()) {
            throw RdmaException.of("plot").object(file).detail("there are no samples to show")
                .errno(RdmaException.EINVAL).build();
        }
        Html.write(file, html(files.stream().map(Samples::read).toList()));
    }

    /** The page as text: HTML that refers to nothing outside of itself. */
    static String html(final List<Samples> all) {
        final String title = TITLE + ": " + String.join(", ", all.stream().map(Samples::name).toList());
        final StringBuilder body = new StringBuilder();
        charts(all).forEach(chart -> body.append(chart.html()));
        for (final Samples each : all) {
            body.append("<h2>").append(Html.escape(each.name())).append("</h2>\n");
            each.remarks().forEach(remark ->
                body.append("<p class=\"soft\">").append(Html.escape(remark)).append("</p>\n"));
        }
        return Html.page(title, body);
    }

    static List<Chart> charts(final List<Samples> all) {
        final Set<String> titles = new LinkedHashSet<>();
        for (final Samples each : all) {
            for (int column = 1; column < each.columns().size(); column++) {
                titles.add(each.chart(column));
            }
        }
        return titles.stream().map(title -> chart(title, all)).toList();
    }

    private static Chart chart(final String title, final List<Samples> all) {
        final List<Series> lines = new ArrayList<>();
        for (final Samples each : all) {
            for (int column = 1; column < each.columns().size(); column++) {
                if (each.chart(column).equals(title)) {
                    lines.add(line(each, column, lines.size(), all.size() > 1));
                }
            }
        }
        final double[] times = LatencyCharts.points(lines).mapToDouble(Series.Point::x).toArray();
        return new Chart(title, Axis.linear(all.get(0).columns().get(0), times, Axis::shortest),
            LatencyCharts.values(title, lines, TWO_DECADES), lines);
    }

    private static Series line(final Samples samples, final int column, final int colour, final boolean named) {
        final String name = samples.line(column);
        return new Series(named ? samples.name() + ", " + name : name, colour, false, samples.rows().stream()
            .map(row -> new Series.Point(row[0], row[column],
                Axis.shortest(row[column]) + " at " + Axis.shortest(row[0]) + ' ' + samples.columns().get(0)))
            .toList());
    }
}
