/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.rdma4j.tools.text.Table;
import io.rdma4j.tools.text.Terminal;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Prints aligned text. Lines of what makes no sense begin with an exclamation mark, in the first column, and end with
 * what is wrong. Control characters are never printed: a report may come from anywhere.
 */
public final class DumpPrinter {
    private static final String INDENT = "  ";
    private static final String MARK = "! ";
    private static final String WRONG = "   <- ";
    private static final int FIRST_OF_TWO_DIGITS = 10;

    private final PrintWriter out;
    private final String margin;

    /**
     * Prints to a writer.
     *
     * @param out where to.
     */
    public DumpPrinter(final PrintWriter out) {
        this(out, "");
    }

    private DumpPrinter(final PrintWriter out, final String margin) {
        this.out = out;
        this.margin = margin;
    }

    /**
     * The same, further to the right.
     *
     * @return a new printer.
     */
    public DumpPrinter indented() {
        return new DumpPrinter(out, margin + INDENT);
    }

    /**
     * Prints a line.
     *
     * @param text any.
     * @return this.
     */
    public DumpPrinter line(final String text) {
        marked(clean(text), "");
        return this;
    }

    /**
     * Prints a heading: a line, marked if what it is about makes no sense.
     *
     * @param text  any.
     * @param about an object that may be invalid.
     * @return this.
     */
    public DumpPrinter heading(final String text, final JsonObject about) {
        marked(clean(text), Nodes.text(about, Fields.INVALID));
        return this;
    }

    /**
     * Prints a line between parts.
     *
     * @return this.
     */
    public DumpPrinter blank() {
        out.println();
        return this;
    }

    /**
     * Prints the members of an object that are values, one on each line, values below each other. Other members (nested
     * objects, arrays) are left out.
     *
     * @param object any.
     * @param hidden members to leave out.
     * @return this.
     */
    public DumpPrinter fields(final JsonObject object, final String... hidden) {
        final List<String> without = List.of(hidden);
        final List<Map.Entry<String, JsonElement>> shown = object.entrySet().stream()
            .filter(member -> Nodes.isValue(member.getValue()) && !member.getKey().equals(Fields.INVALID)
                && !without.contains(member.getKey()))
            .toList();
        final Table table = Table.ofText("", "");
        shown.forEach(member -> table.row(clean(member.getKey()), value(member.getValue())));
        final List<String> lines = table.lines();
        for (int i = 0; i < shown.size(); i++) {
            marked(lines.get(i + 1), whyInvalid(shown.get(i).getValue()));
        }
        return this;
    }

    /**
     * Prints objects as the rows of a table. A row is marked if it or one of its values is invalid.
     *
     * @param rows    the objects.
     * @param members members, in the order of the columns; what a row has not is empty, what no row has is no column.
     * @return this; nothing is printed if there are no rows.
     */
    public DumpPrinter table(final List<JsonObject> rows, final String... members) {
        if (rows.isEmpty()) {
            return this;
        }
        final String[] columns = Arrays.stream(members).filter(member -> rows.stream().anyMatch(row -> row.has(member)))
            .toArray(String[]::new);
        final Table table = Table.ofText(columns);
        rows.forEach(row -> table.row(cells(row, columns)));
        final List<String> lines = table.lines();
        for (int i = 0; i < lines.size(); i++) {
            marked(lines.get(i).stripTrailing(), i == 0 ? "" : whyInvalid(rows.get(i - 1), columns));
        }
        return this;
    }

    private static String[] cells(final JsonObject row, final String... columns) {
        final String[] cells = new String[columns.length];
        for (int i = 0; i < columns.length; i++) {
            cells[i] = row.has(columns[i]) ? cell(row.get(columns[i])) : "";
        }
        return cells;
    }

    private static String whyInvalid(final JsonObject row, final String... columns) {
        final StringBuilder why = new StringBuilder(Nodes.text(row, Fields.INVALID));
        for (final String column : columns) {
            final String wrong = row.has(column) ? whyInvalid(row.get(column)) : "";
            if (!wrong.isEmpty()) {
                why.append(why.isEmpty() ? "" : "; ").append(column).append(": ").append(wrong);
            }
        }
        return why.toString();
    }

    private static String whyInvalid(final JsonElement value) {
        return value.isJsonObject() ? Nodes.text(value.getAsJsonObject(), Fields.INVALID) : "";
    }

    /** The mark is in the first column, wherever the text begins: grep finds it. */
    private void marked(final String text, final String why) {
        out.println(((why.isEmpty() ? INDENT : MARK) + margin + text + (why.isEmpty() ? "" : WRONG + clean(why)))
            .stripTrailing());
    }

    /**
     * A value in words: numbers in decimal, and in hexadecimal where that looks different; with its name, if it has
     * one.
     *
     * @param value any.
     * @return one line.
     */
    public static String value(final JsonElement value) {
        if (value.isJsonObject()) {
            final JsonObject object = value.getAsJsonObject();
            final String name = Nodes.text(object, Fields.NAME);
            final JsonElement number = object.get(Fields.VALUE);
            if (number == null || number.isJsonObject()) {
                return clean(name);
            }
            return name.isEmpty() || name.equals(cell(number)) ? value(number)
                : cell(number) + " (" + clean(name) + ")";
        }
        return isNumber(value) ? number(value.getAsJsonPrimitive()) : cell(value);
    }

    private static boolean isNumber(final JsonElement value) {
        return value.isJsonPrimitive() && value.getAsJsonPrimitive().isNumber();
    }

    private static String number(final JsonPrimitive number) {
        final String text = clean(number.getAsString());
        try {
            final long value = Long.parseLong(text);
            return value < FIRST_OF_TWO_DIGITS ? text : text + " (0x" + Long.toHexString(value) + ")";
        } catch (final NumberFormatException e) {
            return text;
        }
    }

    /**
     * A value as briefly as in a cell of a table: its name, if it has one, else its number.
     *
     * @param value any.
     * @return one line.
     */
    public static String cell(final JsonElement value) {
        if (value.isJsonPrimitive()) {
            return clean(value.getAsString());
        }
        if (value.isJsonObject()) {
            final JsonObject object = value.getAsJsonObject();
            final String name = Nodes.text(object, Fields.NAME);
            return clean(name.isEmpty() ? Nodes.text(object, Fields.VALUE) : name);
        }
        return "";
    }

    private static String clean(final String text) {
        return Terminal.printable(text);
    }
}
