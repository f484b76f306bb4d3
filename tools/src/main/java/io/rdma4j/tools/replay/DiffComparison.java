/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What differs between two recordings of one script, and whether that was known. Immutable.
 *
 * @param fields  fields that were compared.
 * @param unknown differences that nobody allowed.
 * @param allowed differences that the table allows, with its reasons.
 * @param stale   lines of the table that allowed nothing.
 */
public record DiffComparison(int fields, List<String> unknown, List<String> allowed, List<String> stale) {
    private static final String ABSENT = "-";

    /**
     * Copies.
     *
     * @param fields  fields that were compared.
     * @param unknown differences that nobody allowed.
     * @param allowed differences that the table allows, with its reasons.
     * @param stale   lines of the table that allowed nothing.
     */
    public DiffComparison {
        unknown = List.copyOf(unknown);
        allowed = List.copyOf(allowed);
        stale = List.copyOf(stale);
    }

    /**
     * Compares.
     *
     * @param left  recording of the first device.
     * @param right recording of the second device.
     * @param known what may differ.
     * @return the result.
     * @throws IllegalArgumentException if the recordings are of different scripts.
     */
    public static DiffComparison of(
        final DiffRecording left, final DiffRecording right, final KnownDifferences known) {
        requireSameScript(left, right);
        final List<String> unknown = new ArrayList<>();
        final List<String> allowed = new ArrayList<>();
        final Set<KnownDifferences.Known> used = new LinkedHashSet<>();
        int fields = 0;
        for (int i = 0; i < left.entries().size(); i++) {
            final DiffRecording.Entry first = left.entries().get(i);
            final DiffRecording.Entry second = right.entries().get(i);
            final Set<String> names = new LinkedHashSet<>(first.fields().keySet());
            names.addAll(second.fields().keySet());
            fields += names.size();
            for (final String name : names) {
                final String one = first.fields().getOrDefault(name, ABSENT);
                final String other = second.fields().getOrDefault(name, ABSENT);
                if (!one.equals(other)) {
                    final List<KnownDifferences.Known> reasons = known.all().stream()
                        .filter(item -> item.allows(first.step(), name, one, other)).toList();
                    used.addAll(reasons);
                    (reasons.isEmpty() ? unknown : allowed).add(String.format("line %d %s: %s is %s, %s%s",
                        first.step().line(), first.step().verb(), name, one, other,
                        reasons.isEmpty() ? "" : " (" + reasons.get(0).reason() + ")"));
                }
            }
        }
        return new DiffComparison(fields, unknown, allowed,
            known.all().stream().filter(item -> !used.contains(item)).map(Object::toString).toList());
    }

    private static void requireSameScript(final DiffRecording left, final DiffRecording right) {
        final List<DiffStep> first = left.entries().stream().map(DiffRecording.Entry::step).toList();
        final List<DiffStep> second = right.entries().stream().map(DiffRecording.Entry::step).toList();
        for (int i = 0; i < Math.min(first.size(), second.size()); i++) {
            if (!first.get(i).equals(second.get(i))) {
                throw new IllegalArgumentException(
                    "recordings of different scripts: '" + first.get(i) + "' and '" + second.get(i) + "'");
            }
        }
        if (first.size() != second.size()) {
            throw new IllegalArgumentException("recordings of " + first.size() + " and " + second.size() + " steps");
        }
    }

    /**
     * Whether the devices are as alike as they should be.
     *
     * @return true if nothing unknown was found and nothing known is missing.
     */
    public boolean holds() {
        return unknown.isEmpty() && stale.isEmpty();
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder(String.format(
            "%d fields compared: %d unknown differences, %d known ones, %d stale lines%n", fields, unknown.size(),
            allowed.size(), stale.size()));
        unknown.forEach(line -> text.append("  unknown: ").append(line).append(System.lineSeparator()));
        stale.forEach(line -> text.append("  stale:   ").append(line).append(System.lineSeparator()));
        return text.toString();
    }
}
