/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One line of a script: {@code [label] name = VERB argument=value argument=value}; label and name may be absent.
 *
 * @param line      number of the line, from 1.
 * @param label     what {@link KnownDifferences} call this step; null if it has none.
 * @param symbol    the name that what it makes gets; null if it makes nothing.
 * @param verb      what to do: a command of the device, or one of the executor's own verbs.
 * @param arguments with what; in the order given.
 */
public record DiffStep(int line, String label, String symbol, String verb, Map<String, String> arguments) {
    private static final String NAME = "[a-z][a-z0-9]*";

    /**
     * Checks and copies.
     *
     * @param line      number of the line, from 1.
     * @param label     may be null.
     * @param symbol    lower-case letters and digits; may be null.
     * @param verb      upper-case letters and underscores.
     * @param arguments copied.
     * @throws IllegalArgumentException if symbol or verb are not spelt so.
     */
    public DiffStep {
        if (symbol != null && !symbol.matches(NAME)) {
            throw new IllegalArgumentException("line " + line + ": '" + symbol + "' is not a name");
        }
        if (!verb.matches("[A-Z][A-Z_]*")) {
            throw new IllegalArgumentException("line " + line + ": '" + verb + "' is not a verb");
        }
        arguments = Collections.unmodifiableMap(new LinkedHashMap<>(arguments));
    }

    /**
     * Reads a line.
     *
     * @param number its number, for messages.
     * @param text   the line, not blank and not a comment.
     * @return the step.
     * @throws IllegalArgumentException naming the line and what is wrong with it.
     */
    public static DiffStep parse(final int number, final String text) {
        String rest = text.strip();
        String label = null;
        if (rest.startsWith("[")) {
            final int end = rest.indexOf(']');
            if (end < 2) {
                throw new IllegalArgumentException("line " + number + ": a label is [name]: " + text);
            }
            label = rest.substring(1, end);
            rest = rest.substring(end + 1).strip();
        }
        String symbol = null;
        final int equals = rest.indexOf(" = ");
        if (equals >= 0) {
            symbol = rest.substring(0, equals).strip();
            rest = rest.substring(equals + 3).strip();
        }
        final String[] words = rest.split("\\s+");
        final Map<String, String> arguments = new LinkedHashMap<>();
        for (int i = 1; i < words.length; i++) {
            final int at = words[i].indexOf('=');
            if (at < 1 || arguments.put(words[i].substring(0, at), words[i].substring(at + 1)) != null) {
                throw new IllegalArgumentException(
                    "line " + number + ": '" + words[i] + "' is not name=value, or stands twice");
            }
        }
        return new DiffStep(number, label, symbol, words[0], arguments);
    }

    String argument(final String name) {
        final String value = arguments.get(name);
        if (value == null) {
            throw new IllegalArgumentException("line " + line + ": " + verb + " needs " + name + "=");
        }
        return value;
    }

    /**
     * The line, as {@link #parse} reads it.
     *
     * @return one line.
     */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder();
        if (label != null) {
            text.append('[').append(label).append("] ");
        }
        if (symbol != null) {
            text.append(symbol).append(" = ");
        }
        text.append(verb);
        arguments.forEach((name, value) -> text.append(' ').append(name).append('=').append(value));
        return text.toString();
    }
}
