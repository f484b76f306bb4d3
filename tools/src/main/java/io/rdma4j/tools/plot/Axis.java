/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.plot;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;

/**
 * One direction of a chart: where a value lies, and what is written beside it.
 *
 * @param title what it shows, with the unit.
 * @param from  the lowest place.
 * @param to    the highest place, above the lowest.
 * @param place turns a value into a place.
 * @param ticks where lines are drawn, from the lowest to the highest.
 */
record Axis(String title, double from, double to, DoubleUnaryOperator place, List<Tick> ticks) {
    private static final double[] PERCENTILES = {0, 50, 90, 99, 99.9, 99.99, 99.999, 99.9999};
    private static final int MOST_TICKS = 12;
    private static final double ROUNDING = 1e-9;

    /** A line across the chart. */
    record Tick(double value, String label) {
    }

    /** How far along a value lies, 0 to 1 for what is between the ends. */
    double at(final double value) {
        return (place.applyAsDouble(value) - from) / (to - from);
    }

    /** Powers of a base. Values of 0, which is none, have a place of their own before the least, if there are any. */
    static Axis ofPowers(
        final String title, final int base, final double[] values, final DoubleFunction<String> label) {
        final DoubleUnaryOperator log = value -> Math.log(value) / Math.log(base);
        final DoubleSummaryStatistics positive = DoubleStream.of(values).filter(value -> value > 0).summaryStatistics();
        final boolean none = positive.getCount() == 0;
        final int first = none ? 0 : (int) Math.floor(log.applyAsDouble(positive.getMin()) + ROUNDING);
        final int last =
            none ? 1 : Math.max(first + 1, (int) Math.ceil(log.applyAsDouble(positive.getMax()) - ROUNDING));
        final int step = (last - first + MOST_TICKS - 1) / MOST_TICKS;
        final int zero = positive.getCount() < values.length ? first - step : first;
        final DoubleUnaryOperator place = value -> value > 0 ? log.applyAsDouble(value) : zero;
        final List<Tick> ticks = new ArrayList<>();
        if (zero < first) {
            ticks.add(new Tick(0, label.apply(0)));
        }
        for (int power = first; power <= last; power += step) {
            ticks.add(new Tick(Math.pow(base, power), label.apply(Math.pow(base, power))));
        }
        return new Axis(title, zero, last, place, ticks);
    }

    /** From 0, or a round number below the least value, to one above the largest. */
    static Axis linear(final String title, final double[] values, final DoubleFunction<String> label) {
        final double least = Math.min(0, DoubleStream.of(values).min().orElse(0));
        final double most = Math.max(0, DoubleStream.of(values).max().orElse(1));
        final double step = roundStep(Math.max(most / 5 - least / 5, Double.MIN_NORMAL));
        final int first = (int) Math.floor(least / step + ROUNDING);
        final int last = Math.max(first + 1, (int) Math.ceil(most / step - ROUNDING));
        final List<Tick> ticks = new ArrayList<>();
        for (int i = first; i <= last; i++) {
            ticks.add(new Tick(i * step, label.apply(i * step)));
        }
        return new Axis(title, first * step, last * step, DoubleUnaryOperator.identity(), ticks);
    }

    /** 1, 2 or 5 times a power of ten, not below. */
    private static double roundStep(final double least) {
        final double power = Math.pow(10, Math.floor(Math.log10(least)));
        for (final int factor : new int[] {1, 2, 5}) {
            if (factor * power >= least) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    /** Each nine more takes as much room as the one before. */
    static Axis ofPercentiles(final double most) {
        final DoubleUnaryOperator place = percentile -> -Math.log10(Math.max(1e-9, 1 - percentile / 100));
        final List<Tick> ticks = new ArrayList<>();
        for (final double percentile : PERCENTILES) {
            if (percentile <= most || ticks.size() < 3) {
                ticks.add(new Tick(percentile, percentile == 0 ? "0 %" : shortest(percentile) + " %"));
            }
        }
        final double last = ticks.get(ticks.size() - 1).value();
        return new Axis("percentile", 0, Math.max(place.applyAsDouble(last), place.applyAsDouble(most)), place, ticks);
    }

    /** A number without digits that mean nothing. */
    static String shortest(final double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            return Long.toString((long) value);
        }
        final String text = String.format(Locale.ROOT, "%.6f", value).replaceAll("0+$", "");
        return text.endsWith(".") ? text + "0" : text;
    }

    /** A size as sizes are typed: 64, 4k, 1m. */
    static String size(final double bytes) {
        final String[] units = {"", "k", "m", "g"};
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && value % 1024 == 0 && unit < units.length - 1) {
            value /= 1024;
            unit++;
        }
        return shortest(value) + units[unit];
    }
}
