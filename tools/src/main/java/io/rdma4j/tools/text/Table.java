/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Rows under headers, in columns as wide as needed and two blanks apart. */
public final class Table {
    private static final String GAP = "  ";

    private final boolean rightAligned;
    private final List<String[]> rows = new ArrayList<>();

    private Table(final boolean rightAligned, final String[] headers) {
        this.rightAligned = rightAligned;
        rows.add(headers.clone());
    }

    /**
     * A table of words, aligned at the left.
     *
     * @param headers a header for each column.
     * @return a new table.
     */
    public static Table ofText(final String... headers) {
        return new Table(false, headers);
    }

    /**
     * A table of numbers, aligned at the right.
     *
     * @param headers a header for each column.
     * @return a new table.
     */
    public static Table ofNumbers(final String... headers) {
        return new Table(true, headers);
    }

    /**
     * Adds a row.
     *
     * @param cells a cell for each column.
     * @return this.
     * @throws IllegalArgumentException if there are more cells than columns, or fewer.
     */
    public Table row(final String... cells) {
        if (cells.length != rows.get(0).length) {
            throw new IllegalArgumentException(cells.length + " cells in " + rows.get(0).length + " columns");
        }
        rows.add(cells.clone());
        return this;
    }

    /**
     * Prints headers and rows.
     *
     * @param out where to.
     */
    public void print(final PrintWriter out) {
        final int[] widths = widths();
        for (final String[] row : rows) {
            final StringBuilder line = new StringBuilder();
            for (int i = 0; i < row.length; i++) {
                final String blanks = " ".repeat(widths[i] - row[i].length());
                line.append(i == 0 ? "" : GAP).append(rightAligned ? blanks + row[i] : row[i] + blanks);
            }
            out.println(line.toString().stripTrailing());
        }
    }

    private int[] widths() {
        final int[] widths = new int[rows.get(0).length];
        for (final String[] row : rows) {
            for (int i = 0; i < row.length; i++) {
                widths[i] = Math.max(widths[i], row[i].length());
            }
        }
        return widths;
    }
}
