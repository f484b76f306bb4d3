/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The differences between two devices that are known, each with its reason. Text is a line for each:
 * {@code step field left right reason ...}, where step is a verb or a {@code [label]}, left and right are values
 * ({@code -} for a field that is not there), and {@code *} in any of them stands for anything. Immutable.
 */
public final class KnownDifferences {
    private static final int COLUMNS = 5;

    /**
     * One of them.
     *
     * @param line   number of the line.
     * @param step   a verb, or a label in brackets.
     * @param field  name of a field.
     * @param left   value on the first device.
     * @param right  value on the second device.
     * @param reason why they differ.
     */
    public record Known(int line, String step, String field, String left, String right, String reason) {
        boolean allows(final DiffStep where, final String name, final String first, final String second) {
            final boolean here = step.startsWith("[")
                ? step.equals("[" + where.label() + "]") : matches(step, where.verb());
            return here && matches(field, name) && matches(left, first) && matches(right, second);
        }

        private static boolean matches(final String pattern, final String text) {
            return pattern.equals(text) || pattern.indexOf('*') >= 0
                && Pattern.matches(Pattern.quote(pattern).replace("*", "\\E.*\\Q"), text);
        }

        @Override
        public String toString() {
            return "line " + line + ": " + step + " " + field + " " + left + " " + right + " (" + reason + ")";
        }
    }

    private final List<Known> all;

    private KnownDifferences(final List<Known> all) {
        this.all = List.copyOf(all);
    }

    /**
     * Reads a table; blank lines and lines that begin with {@code #} are left out.
     *
     * @param text its lines.
     * @return the table.
     * @throws IllegalArgumentException naming a line without reason.
     */
    public static KnownDifferences parse(final String text) {
        final List<Known> all = new ArrayList<>();
        final List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            final String line = lines.get(i).strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            final String[] columns = line.split("\\s+", COLUMNS);
            if (columns.length < COLUMNS) {
                throw new IllegalArgumentException(
                    "line " + (i + 1) + " needs step, field, left, right and a reason: " + line);
            }
            all.add(new Known(i + 1, columns[0], columns[1], columns[2], columns[3], columns[4]));
        }
        return new KnownDifferences(all);
    }

    /**
     * The table of what QEMU's device does otherwise than an emulated one.
     *
     * @param emulated {@code "emulated"}, or {@code "emulated-quirks"} for one that plays QEMU's quirks.
     * @return the table that comes with the suite.
     */
    public static KnownDifferences ofQemu(final String emulated) {
        return parse(DiffScript.resource("qemu-7.2-against-" + emulated + ".txt"));
    }

    /**
     * Nothing.
     *
     * @return an empty table.
     */
    public static KnownDifferences none() {
        return new KnownDifferences(List.of());
    }

    /**
     * All of them.
     *
     * @return in the order of the table; unmodifiable.
     */
    public List<Known> all() {
        return all;
    }
}
