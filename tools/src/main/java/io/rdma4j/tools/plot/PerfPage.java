/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import io.rdma4j.RdmaException;
import io.rdma4j.tools.perf.PerfFile;
import io.rdma4j.tools.perf.PerfRun;
import io.rdma4j.tools.perf.Yardstick;
import io.rdma4j.tools.perf.yardstick.Reading;
import io.rdma4j.tools.traffic.BandwidthRow;
import io.rdma4j.tools.traffic.LatencyRow;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** A page that shows runs of {@code rdma4j perf} side by side: charts, the figures in tables, what was run where. */
public final class PerfPage {
    private static final String TITLE = "rdma4j perf";

    private PerfPage() {
    }

    /**
     * Writes a page.
     *
     * @param file where to, as {@link io.rdma4j.tools.text.OwnFile#write} takes it; replaced if it is there.
     * @param runs what to show, at least one, in this order.
     * @throws RdmaException EINVAL without runs, EIO if the file cannot be written.
     */
    public static void write(final Path file, final List<PerfRun> runs) {
        if (runs.isEmpty()) {
            throw RdmaException.of("plot").object(file).detail("there is no run to show").errno(RdmaException.EINVAL)
                .build();
        }
        Html.write(file, html(runs));
    }

    /**
     * The page as text.
     *
     * @param runs what to show.
     * @return HTML that refers to nothing outside of itself.
     */
    static String html(final List<PerfRun> runs) {
        final List<NamedRun> named = NamedRun.of(runs);
        final StringBuilder out = new StringBuilder();
        LatencyCharts.of(named).forEach(chart -> out.append(chart.html()));
        BandwidthCharts.of(named).forEach(chart -> out.append(chart.html()));
        named.forEach(run -> section(out, run));
        return Html.page(title(named), out);
    }

    private static String title(final List<NamedRun> runs) {
        return runs.size() == 1 ? TITLE + ": " + runs.get(0).name() : TITLE + ": " + runs.size() + " runs";
    }

    private static void section(final StringBuilder out, final NamedRun run) {
        final PerfRun.About about = run.run().about();
        out.append("<h2>").append(Html.escape(run.name())).append("</h2>\n");
        if (!run.latencies().isEmpty()) {
            out.append("<p class=\"soft\">Times are ").append(Html.escape(String.valueOf(about.test().timeIs())))
                .append(", in microseconds. ").append(Html.escape(PerfFile.COORDINATED_OMISSION)).append(".</p>\n");
            latencies(out, run.latencies());
        }
        if (!run.bandwidths().isEmpty()) {
            bandwidths(out, run.bandwidths());
        }
        yardsticks(out, run.run().yardsticks());
        about(out, about);
    }

    private static void latencies(final StringBuilder out, final List<LatencyRow> rows) {
        header(out, "bytes", "iterations", "min", "median", "average", "90 %", "99 %", "99.9 %", "99.99 %", "max");
        for (final LatencyRow row : rows) {
            final LatencyRow.Times usec = row.usec();
            row(out, Integer.toString(row.bytes()), Long.toString(row.iterations()), number(usec.min()),
                number(usec.p50()), number(usec.avg()), number(usec.p90()), number(usec.p99()), number(usec.p999()),
                number(usec.p9999()), number(usec.max()));
        }
        out.append("</table></div>\n");
    }

    private static void bandwidths(final StringBuilder out, final List<BandwidthRow> rows) {
        header(out, "bytes", "iterations", "peak MiB/s", "average MiB/s", "million messages/s");
        for (final BandwidthRow row : rows) {
            row(out, Integer.toString(row.bytes()), Long.toString(row.iterations()), number(row.peak()),
                number(row.average()), number(row.rate()));
        }
        out.append("</table></div>\n");
    }

    private static void yardsticks(final StringBuilder out, final List<Yardstick> yardsticks) {
        if (yardsticks.isEmpty()) {
            return;
        }
        out.append("<p>Round trips without a device, in the same run, in nanoseconds:</p>\n");
        header(out, "yardstick", "before: median", "99 %", "99.9 %", "after: median", "99 %", "99.9 %");
        for (final Yardstick yardstick : yardsticks) {
            final Reading before = yardstick.before();
            final Reading after = yardstick.after();
            row(out, yardstick.title(), number(before.p50()), number(before.p99()), number(before.p999()),
                number(after.p50()), number(after.p99()), number(after.p999()));
        }
        out.append("</table></div>\n");
    }

    private static void about(final StringBuilder out, final PerfRun.About about) {
        final PerfRun.Place place = about.place();
        out.append("<dl>");
        fact(out, "options", about.options());
        fact(out, "device", about.peer() == null ? about.device() : about.device() + " and " + about.peer());
        fact(out, "when", place.created());
        fact(out, "with", "rdma4j " + place.version() + ", Java " + place.java());
        fact(out, "on", place.cpu() + ", " + place.cpus() + " usable");
        fact(out, "clock", number(place.timerNanos()) + " ns for a look, in each time once a round trip");
        place.advice().forEach(advice -> fact(out, "note", advice));
        out.append("</dl>\n");
    }

    private static void fact(final StringBuilder out, final String name, final String text) {
        out.append("<dt>").append(name).append("</dt><dd>").append(Html.escape(text)).append("</dd>\n");
    }

    private static void header(final StringBuilder out, final String... names) {
        out.append("<div class=\"scroll\"><table>\n<tr>");
        for (final String name : names) {
            out.append("<th>").append(Html.escape(name)).append("</th>");
        }
        out.append("</tr>\n");
    }

    private static void row(final StringBuilder out, final String... cells) {
        out.append("<tr>");
        for (final String cell : cells) {
            out.append("<td>").append(Html.escape(cell)).append("</td>");
        }
        out.append("</tr>\n");
    }

    private static String number(final double value) {
        return String.format(Locale.ROOT, value >= 1000 ? "%.0f" : value >= 10 ? "%.2f" : "%.3f", value);
    }
}
