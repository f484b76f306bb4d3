/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.util.Optional;

/**
 * One test's outcome as a line of text: {@code RESULT <name> PASS|FAIL|SKIP <message>}. The form in which programs in a
 * guest report to the host, where JUnit may be too slow to run.
 *
 * @param name    the test; not empty, without white space.
 * @param status  its outcome.
 * @param message why; may be empty and have several lines.
 */
public record ResultLine(String name, Status status, String message) {
    private static final String KEYWORD = "RESULT ";

    /** Outcome of a test. */
    public enum Status {
        /** It held. */
        PASS,
        /** It did not hold. */
        FAIL,
        /** The device cannot do what it needs; the message says why. */
        SKIP
    }

    /**
     * Checks the name.
     *
     * @param name    the test; not empty, without white space.
     * @param status  its outcome.
     * @param message why; null is taken as empty.
     * @throws IllegalArgumentException if the name is empty or has white space.
     */
    public ResultLine(final String name, final Status status, final String message) {
        if (!name.matches("\\S+")) {
            throw new IllegalArgumentException("a test's name is not empty and has no white space: '" + name + "'");
        }
        this.name = name;
        this.status = status;
        this.message = message == null ? "" : message;
    }

    /**
     * Reads a line.
     *
     * @param line any text.
     * @return the outcome, empty if the line is not of this form.
     */
    public static Optional<ResultLine> parse(final String line) {
        if (!line.startsWith(KEYWORD)) {
            return Optional.empty();
        }
        final String[] parts = line.substring(KEYWORD.length()).split(" ", 3);
        if (parts.length < 2 || parts[0].isBlank()) {
            return Optional.empty();
        }
        for (final Status status : Status.values()) {
            if (status.name().equals(parts[1])) {
                return Optional.of(new ResultLine(parts[0], status, parts.length < 3 ? "" : unescape(parts[2])));
            }
        }
        return Optional.empty();
    }

    /**
     * The line that {@link #parse} reads.
     *
     * @return one line, without an end of line.
     */
    public String format() {
        final String head = KEYWORD + name + ' ' + status;
        return message.isEmpty() ? head : head + ' ' + escape(message);
    }

    private static String escape(final String text) {
        return text.replace("\\", "\\\\").replace("\r", "").replace("\n", "\\n");
    }

    private static String unescape(final String text) {
        final StringBuilder plain = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            final char c = text.charAt(i);
            final char next = i + 1 < text.length() ? text.charAt(i + 1) : ' ';
            if (c == '\\' && (next == 'n' || next == '\\')) {
                plain.append(next == 'n' ? '\n' : next);
                i++;
            } else {
                plain.append(c);
            }
        }
        return plain.toString();
    }
}
