/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import java.util.List;
import java.util.Locale;

/**
 * A line chart as SVG. Points carry their values as tool tips; where there are many, only the line is drawn and the
 * tips lie on invisible dots.
 *
 * @param title  what it shows.
 * @param x      from left to right.
 * @param y      from bottom to top.
 * @param series the lines.
 */
record Chart(String title, Axis x, Axis y, List<Series> series) {
    private static final int WIDTH = 880;
    private static final int HEIGHT = 380;
    private static final int LEFT = 84;
    private static final int RIGHT = 24;
    private static final int TOP = 16;
    private static final int BOTTOM = 56;
    private static final int FEW_POINTS = 40;

    /** The chart with its title and legend. */
    String html() {
        final StringBuilder out = new StringBuilder("<figure>\n<figcaption>").append(Html.escape(title))
            .append("</figcaption>\n");
        legend(out);
        out.append(String.format(Locale.ROOT, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n",
            WIDTH, HEIGHT, Html.escape(title)));
        grid(out);
        series.forEach(line -> draw(out, line));
        return out.append("</svg>\n</figure>\n").toString();
    }

    private void legend(final StringBuilder out) {
        out.append("<ul class=\"legend\">");
        for (final Series line : series) {
            out.append(String.format("<li><svg class=\"key\" viewBox=\"0 0 28 10\"><path class=\"line %s\" "
                + "d=\"M1 5H27\"/></svg>%s</li>", style(line), Html.escape(line.name())));
        }
        out.append("</ul>\n");
    }

    private void grid(final StringBuilder out) {
        for (final Axis.Tick tick : x.ticks()) {
            final double at = across(tick.value());
            out.append(String.format(Locale.ROOT, "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text x=\"%.1f\" y=\"%d\" "
                + "text-anchor=\"middle\">%s</text>%n", at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 20,
                Html.escape(tick.label())));
        }
        for (final Axis.Tick tick : y.ticks()) {
            final double at = up(tick.value());
            out.append(String.format(Locale.ROOT, "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\" "
                + "text-anchor=\"end\">%s</text>%n", LEFT, at, WIDTH - RIGHT, LEFT - 8, at + 4,
                Html.escape(tick.label())));
        }
        out.append(String.format(Locale.ROOT, "<text class=\"title\" x=\"%d\" y=\"%d\" "
            + "text-anchor=\"middle\">%s</text>%n", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, Html.escape(x.title())));
        out.append(String.format(Locale.ROOT, "<text class=\"title\" transform=\"translate(16 %d) rotate(-90)\" "
            + "text-anchor=\"middle\">%s</text>%n", (TOP + HEIGHT - BOTTOM) / 2, Html.escape(y.title())));
    }

    private void draw(final StringBuilder out, final Series line) {
        final StringBuilder path = new StringBuilder();
        line.points().forEach(point -> path.append(path.isEmpty() ? "M" : "L")
            .append(String.format(Locale.ROOT, "%.1f %.1f", across(point.x()), up(point.y()))));
        if (line.points().size() > 1) {
            out.append("<path class=\"line ").append(style(line)).append("\" d=\"").append(path).append("\"/>\n");
        }
        final String dot = line.points().size() <= FEW_POINTS ? "dot" : "dot hidden";
        for (final Series.Point point : line.points()) {
            out.append(String.format(Locale.ROOT, "<circle class=\"%s c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%s"
                + "</title></circle>%n", dot, line.colour() % Html.COLOURS, across(point.x()), up(point.y()),
                Html.escape(line.name() + ": " + point.text())));
        }
    }

    private static String style(final Series line) {
        return "c" + line.colour() % Html.COLOURS + (line.dashed() ? " dashed" : "");
    }

    private double across(final double value) {
        return LEFT + clamp(x.at(value)) * (WIDTH - LEFT - RIGHT);
    }

    private double up(final double value) {
        return HEIGHT - BOTTOM - clamp(y.at(value)) * (HEIGHT - TOP - BOTTOM);
    }

    private static double clamp(final double share) {
        return Double.isNaN(share) ? 0 : Math.max(0, Math.min(1, share));
    }
}
