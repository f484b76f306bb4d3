/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.stat;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Rows of a name at the left and numbers at the right. */
final class Columns {
    private static final String GAP = "  ";
    private static final double EXACT_BELOW = 100;
    private final List<String[]> rows = new ArrayList<>();

    Columns(final String... headers) {
        rows.add(headers);
    }

    void row(final String... cells) {
        rows.add(cells);
    }

    boolean isEmpty() {
        return rows.size() == 1;
    }

    void print(final PrintWriter out) {
        final int[] widths = new int[rows.get(0).length];
        for (final String[] row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        for (final String[] row : rows) {
            final StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                final String blanks = " ".repeat(widths[i] - row[i].length());
                line.append(i == 0 ? row[i] + blanks : GAP + blanks + row[i]);
            }
            out.println(line.toString().stripTrailing());
        }
    }

    static String count(final long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** A rate; a dash where there is none yet. */
    static String rate(final double rate) {
        if (Double.isNaN(rate)) {
            return "-";
        }
        return String.format(Locale.ROOT, rate == 0 ? "0" : rate < EXACT_BELOW ? "%.1f" : "%,.0f", rate);
    }
}
