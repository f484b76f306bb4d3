/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.text;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Lines of {@code key:} and value, with tabs between and before them, as ibv_devinfo prints them; scripts know this.
 */
public final class KeyValues {
    private static final int TAB = 8;
    private static final int VALUE_COLUMN = 5 * TAB;
    private static final int WORDS_WIDTH = 60;

    private final PrintWriter out;

    /**
     * Prints to a writer.
     *
     * @param out where to.
     */
    public KeyValues(final PrintWriter out) {
        this.out = out;
    }

    /**
     * Prints one line, values of one depth below each other.
     *
     * @param depth tabs before the key.
     * @param key   the key.
     * @param value its value; {@code toString()} is used.
     * @return this.
     */
    public KeyValues line(final int depth, final String key, final Object value) {
        final int end = depth * TAB + key.length() + 1;
        final int tabs = Math.max(1, (VALUE_COLUMN - end + TAB - 1) / TAB);
        out.println("\t".repeat(depth) + key + ":" + "\t".repeat(tabs) + value);
        return this;
    }

    /**
     * Prints words after a key, on as many lines as they need.
     *
     * @param depth tabs before the key.
     * @param key   the key.
     * @param words the value.
     * @return this.
     */
    public KeyValues words(final int depth, final String key, final List<String> words) {
        final List<String> lines = new ArrayList<>();
        final StringBuilder line = new StringBuilder();
        for (final String word : words) {
            if (line.length() + word.length() > WORDS_WIDTH) {
                lines.add(line.toString().stripTrailing());
                line.setLength(0);
            }
            line.append(word).append(", ");
        }
        lines.add(line.isEmpty() ? "none" : line.substring(0, line.length() - 2));
        line(depth, key, lines.get(0));
        lines.stream().skip(1).forEach(more -> out.println("\t".repeat(VALUE_COLUMN / TAB) + more));
        return this;
    }

    /**
     * Prints one line with the value one tab behind the key: a heading.
     *
     * @param depth tabs before the key.
     * @param key   the key.
     * @param value its value; {@code toString()} is used.
     * @return this.
     */
    public KeyValues heading(final int depth, final String key, final Object value) {
        out.println("\t".repeat(depth) + key + ":\t" + value);
        return this;
    }

    /**
     * Prints a line between parts.
     *
     * @return this.
     */
    public KeyValues blank() {
        out.println();
        return this;
    }
}
