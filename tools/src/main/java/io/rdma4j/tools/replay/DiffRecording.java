/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a device answered to a script: for each step its fields by name, handles replaced by the script's names for
 * them, so that recordings of different devices can be compared. Text is a line for each step and, indented, one for
 * each field. Immutable.
 */
public final class DiffRecording {
    static final String FIRST_LINE = "rdma4j-recording 1 ";

    /**
     * One step and its answer.
     *
     * @param step   what was played.
     * @param fields the answer, by field.
     */
    public record Entry(DiffStep step, Map<String, String> fields) {
        /**
         * Copies.
         *
         * @param step   what was played.
         * @param fields the answer, by field.
         */
        public Entry {
            fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        }
    }

    private final String device;
    private final List<Entry> entries;

    /**
     * Made of entries.
     *
     * @param device  what it was played on.
     * @param entries copied.
     */
    public DiffRecording(final String device, final List<Entry> entries) {
        this.device = device;
        this.entries = List.copyOf(entries);
    }

    /**
     * Reads a recording.
     *
     * @param text its lines.
     * @return the recording.
     * @throws IllegalArgumentException if it is not one; names the line.
     */
    public static DiffRecording parse(final String text) {
        final List<String> lines = text.lines().toList();
        if (lines.isEmpty() || !lines.get(0).startsWith(FIRST_LINE)) {
            throw new IllegalArgumentException("a recording begins with '" + FIRST_LINE + "DEVICE'");
        }
        final List<Entry> entries = new ArrayList<>();
        DiffStep step = null;
        final Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 1; i < lines.size(); i++) {
            final String line = lines.get(i);
            if (line.startsWith("  ") && step != null) {
                final int equals = line.indexOf('=');
                if (equals < 0) {
                    throw new IllegalArgumentException("line " + (i + 1) + " is not name=value: " + line);
                }
                fields.put(line.substring(2, equals), line.substring(equals + 1));
            } else if (!line.isBlank()) {
                if (step != null) {
                    entries.add(new Entry(step, fields));
                }
                fields.clear();
                step = numbered(i + 1, line);
            }
        }
        if (step != null) {
            entries.add(new Entry(step, fields));
        }
        return new DiffRecording(lines.get(0).substring(FIRST_LINE.length()), entries);
    }

    private static DiffStep numbered(final int at, final String line) {
        final int colon = line.indexOf(": ");
        if (colon < 1 || !line.substring(0, colon).matches("\\d{1,9}")) {
            throw new IllegalArgumentException("line " + at + " is not 'number: step': " + line);
        }
        return DiffStep.parse(Integer.parseInt(line.substring(0, colon)), line.substring(colon + 2));
    }

    /**
     * The device.
     *
     * @return what it was played on.
     */
    public String device() {
        return device;
    }

    /**
     * The steps with their answers.
     *
     * @return in the order in which they were played; unmodifiable.
     */
    public List<Entry> entries() {
        return entries;
    }

    /**
     * The recording as text.
     *
     * @return what {@link #parse} reads.
     */
    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder(FIRST_LINE).append(device).append('\n');
        for (final Entry entry : entries) {
            text.append(entry.step().line()).append(": ").append(entry.step()).append('\n');
            entry.fields().forEach((name, value) ->
                text.append("  ").append(name).append('=').append(value).append('\n'));
        }
        return text.toString();
    }
}
