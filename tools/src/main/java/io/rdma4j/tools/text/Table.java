/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows in columns: as wide as needed and two blanks apart, or at places that scripts know. The one place that aligns;
 * {@link KeyValues} has tab stops instead.
 */
public final class Table {
    private static final String GAP = "  ";

    /** Columns before this one are aligned at the left, the others at the right. */
    private final int firstNumber;
    /** Null for columns as wide as needed. */
    private final int[] starts;
    private final List<String[]> rows = new ArrayList<>();

    private Table(final int firstNumber, final int[] starts, final String... headers) {
        this.firstNumber = firstNumber;
        this.starts = starts;
        rows.add(headers.clone());
    }

    /**
     * A table of words, aligned at the left.
     *
     * @param headers a header for each column.
     * @return a new table.
     */
    public static Table ofText(final String... headers) {
        return new Table(headers.length, null, headers);
    }

    /**
     * A table of numbers, aligned at the right.
     *
     * @param headers a header for each column.
     * @return a new table.
     */
    public static Table ofNumbers(final String... headers) {
        return new Table(0, null, headers);
    }

    /**
     * A table of a name at the left and numbers at the right.
     *
     * @param headers a header for each column.
     * @return a new table.
     */
    public static Table ofNamedNumbers(final String... headers) {
        return new Table(1, null, headers);
    }

    /**
     * A table at places that scripts know: values begin where their headers do. One that is too long moves the next.
     *
     * @param blanksAndHeaders what the first line consists of, in turns.
     * @return a new table.
     */
    public static Table under(final String... blanksAndHeaders) {
        final int[] starts = new int[blanksAndHeaders.length / 2];
        final StringBuilder header = new StringBuilder();
        for (int i = 0; i < blanksAndHeaders.length; i++) {
            if (i % 2 != 0) {
                starts[i / 2] = header.length();
            }
            header.append(blanksAndHeaders[i]);
        }
        return new Table(0, starts, header.toString());
    }

    /**
     * Adds a row.
     *
     * @param cells a cell for each column.
     * @return this.
     * @throws IllegalArgumentException if there are more cells than columns, or fewer.
     */
    public Table row(final String... cells) {
        final int columns = starts == null ? rows.get(0).length : starts.length;
        if (cells.length != columns) {
            throw new IllegalArgumentException(cells.length + " cells in " + columns + " columns");
        }
        rows.add(cells.clone());
        return this;
    }

    /**
     * Whether there is no row but the headers.
     *
     * @return true if so.
     */
    public boolean isEmpty() {
        return rows.size() == 1;
    }

    /**
     * Prints headers and rows, without blanks at the end of a line that has none in its header.
     *
     * @param out where to.
     */
    public void print(final PrintWriter out) {
        lines().forEach(line -> out.println(starts == null ? line.stripTrailing() : line));
    }

    /**
     * Headers and rows. A word in the last column has no blanks behind it, but an empty cell there has some before.
     *
     * @return a line for each.
     */
    public List<String> lines() {
        final List<String> lines = new ArrayList<>();
        if (starts != null) {
            lines.add(rows.get(0)[0]);
            rows.stream().skip(1).forEach(row -> lines.add(placed(row)));
            return lines;
        }
        final int[] widths = widths();
        rows.forEach(row -> lines.add(aligned(row, widths)));
        return lines;
    }

    private String placed(final String... row) {
        final StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.length; i++) {
            line.append(" ".repeat(Math.max(1, starts[i] - line.length()))).append(row[i]);
        }
        return line.toString();
    }

    private String aligned(final String[] row, final int... widths) {
        final StringBuilder line = new StringBuilder();
        for (int i = 0; i < row.length; i++) {
            final String blanks = " ".repeat(widths[i] - row[i].length());
            line.append(i == 0 ? "" : GAP)
                .append(i >= firstNumber ? blanks + row[i] : i < row.length - 1 ? row[i] + blanks : row[i]);
        }
        return line.toString();
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
