/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import java.util.ArrayList;
import java.util.List;

/** The table of operations and devices, as docs/device-support.md has it. */
final class SupportTable {
    private static final String HEAD = """
        # What works on which device

        Written by the conformance run; do not edit. How: see [conformance.md](conformance.md), "The table of devices".

        A number is how many cases of the conformance suite passed that show the operation; "7 of 9" is followed by what
        the others need and the device lacks, or by what it does otherwise than it should ([judged.md](judged.md)); "no"
        says so of all. Cases that are left out for another reason count, too; the reasons are below. The last column is
        not measured: it is what the driver does with a device that it knows only as far as the Linux driver implies,
        run on the emulated device without its extensions. What depends on capabilities (atomics, invalidation, fast
        registration) is there what that device reports.

        """;

    private final List<SupportColumn> columns;

    SupportTable(final List<SupportColumn> columns) {
        this.columns = List.copyOf(columns);
    }

    /** The whole document. */
    String markdown() {
        final StringBuilder text = new StringBuilder(HEAD).append("| operation |");
        columns.forEach(column -> text.append(' ').append(column.title()).append(" |"));
        text.append("\n|---|").append("---|".repeat(columns.size())).append('\n');
        for (final SupportRow row : SupportRow.all()) {
            text.append("| ").append(row.operation()).append(" |");
            columns.forEach(column -> text.append(' ').append(column.cell(row)).append(" |"));
            text.append('\n');
        }
        text.append("\n## Why not\n");
        columns.forEach(column -> text.append('\n').append(column.reasons()));
        return text.toString();
    }

    /**
     * Where a document says something else about a device than is true.
     *
     * @param document the document.
     * @param column   what is true.
     * @return a line for each difference.
     */
    static List<String> differences(final String document, final SupportColumn column) {
        final List<String> lines = document.lines().toList();
        final List<String> differences = new ArrayList<>();
        final int index = cells(lines, "operation").indexOf(column.title());
        for (final SupportRow row : SupportRow.all()) {
            final List<String> cells = cells(lines, row.operation());
            final String said = index < 0 || index >= cells.size() ? "nothing" : cells.get(index);
            if (!said.equals(column.cell(row))) {
                differences.add(row.operation() + ": '" + said + "' should be '" + column.cell(row) + "'");
            }
        }
        if (!document.contains(column.reasons())) {
            differences.add("the reasons should be:\n" + column.reasons());
        }
        return differences;
    }

    private static List<String> cells(final List<String> lines, final String first) {
        for (final String line : lines) {
            if (line.startsWith("| " + first + " |")) {
                return List.of(line.substring(2, line.length() - 2).split(" \\| "));
            }
        }
        return List.of();
    }
}
