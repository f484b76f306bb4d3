/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Who covers which addresses, kept as steps: one entry where the set of those who do changes. Ranges may overlap in any
 * way. Not thread-safe.
 */
final class AddressRangeMap<T> {
    private static final Object[] NOBODY = {};

    /** From this address on, up to the next key, these cover it. Below the first key nobody does. */
    private final TreeMap<Long, Object[]> steps = new TreeMap<>();

    /** A range without gaps, from one address to before the other. */
    record Range(long from, long to) {
        @Override
        public String toString() {
            return String.format("%#x..%#x", from, to);
        }
    }

    void add(final long from, final long to, final T who) {
        split(from);
        split(to);
        steps.subMap(from, to).replaceAll((address, before) -> with(before, who));
    }

    /** Takes somebody out again who was added with this range; says what nobody covers any more. */
    List<Range> remove(final long from, final long to, final T who) {
        split(from);
        split(to);
        steps.subMap(from, to).replaceAll((address, before) -> without(before, who));
        final List<Range> free = uncovered(from, to);
        join(from);
        join(to);
        return free;
    }

    /** Everybody who covers part of a range, each once. */
    @SuppressWarnings("unchecked")
    Set<T> overlapping(final long from, final long to) {
        final Set<T> found = new LinkedHashSet<>();
        for (final Object who : at(from)) {
            found.add((T) who);
        }
        for (final Object[] covering : steps.subMap(from, false, to, false).values()) {
            for (final Object who : covering) {
                found.add((T) who);
            }
        }
        return found;
    }

    /** The parts of a range that nobody covers, each as long as it can be, in rising order. */
    List<Range> uncovered(final long from, final long to) {
        final List<Range> free = new ArrayList<>();
        long start = from;
        boolean covered = at(from).length > 0;
        for (final Map.Entry<Long, Object[]> step : steps.subMap(from, false, to, false).entrySet()) {
            final boolean next = step.getValue().length > 0;
            if (next && !covered) {
                free.add(new Range(start, step.getKey()));
            } else if (!next && covered) {
                start = step.getKey();
            }
            covered = next;
        }
        if (!covered) {
            free.add(new Range(start, to));
        }
        return free;
    }

    private Object[] at(final long address) {
        final Map.Entry<Long, Object[]> step = steps.floorEntry(address);
        return step == null ? NOBODY : step.getValue();
    }

    private void split(final long address) {
        steps.putIfAbsent(address, at(address));
    }

    private void join(final long address) {
        final Map.Entry<Long, Object[]> below = steps.lowerEntry(address);
        if (same(steps.get(address), below == null ? NOBODY : below.getValue())) {
            steps.remove(address);
        }
    }

    /** The same ones, in whatever order they came. */
    private static boolean same(final Object[] one, final Object[] other) {
        return one.length == other.length && Set.of(one).equals(Set.of(other));
    }

    private static Object[] with(final Object[] before, final Object who) {
        final Object[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = who;
        return after;
    }

    private static Object[] without(final Object[] before, final Object who) {
        for (int i = 0; i < before.length; i++) {
            if (before[i] == who) {
                final Object[] after = Arrays.copyOf(before, before.length - 1);
                System.arraycopy(before, i + 1, after, i, after.length - i);
                return after.length == 0 ? NOBODY : after;
            }
        }
        return before;
    }

    /** For tests: how many steps are kept. */
    int size() {
        return steps.size();
    }

    @Override
    public String toString() {
        return steps.size() + " steps";
    }
}
