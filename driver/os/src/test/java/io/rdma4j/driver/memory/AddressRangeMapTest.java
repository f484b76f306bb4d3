/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.memory.AddressRangeMap.Range;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AddressRangeMapTest {
    private final AddressRangeMap<String> map = new AddressRangeMap<>();

    @Test
    void emptyMapCoversNothing() {
        assertThat(map.overlapping(0, Long.MAX_VALUE)).isEmpty();
        assertThat(map.uncovered(10, 20)).containsExactly(new Range(10, 20));
        assertThat(map.size()).isZero();
    }

    @Test
    void neighboursAreTold() {
        map.add(10, 20, "a");
        map.add(20, 30, "b");
        assertThat(map.overlapping(0, 10)).isEmpty();
        assertThat(map.overlapping(0, 11)).containsExactly("a");
        assertThat(map.overlapping(19, 20)).containsExactly("a");
        assertThat(map.overlapping(19, 21)).containsExactly("a", "b");
        assertThat(map.overlapping(20, 21)).containsExactly("b");
        assertThat(map.overlapping(30, 31)).isEmpty();
        assertThat(map.uncovered(5, 35)).containsExactly(new Range(5, 10), new Range(30, 35));
    }

    @Test
    void removingFreesWhatNobodyElseCovers() {
        map.add(10, 50, "outer");
        map.add(20, 30, "inner");
        map.add(20, 30, "twin");
        map.add(40, 60, "staggered");
        assertThat(map.overlapping(25, 26)).containsExactly("outer", "inner", "twin");
        assertThat(map.remove(20, 30, "inner")).isEmpty();
        assertThat(map.remove(10, 50, "outer")).containsExactly(new Range(10, 20), new Range(30, 40));
        assertThat(map.remove(20, 30, "twin")).containsExactly(new Range(20, 30));
        assertThat(map.remove(40, 60, "staggered")).containsExactly(new Range(40, 60));
        assertThat(map.size()).as("steps left over").isZero();
    }

    @Test
    void removingWhoIsNotThereChangesNothing() {
        map.add(10, 20, "a");
        assertThat(map.remove(0, 30, "b")).containsExactly(new Range(0, 10), new Range(20, 30));
        assertThat(map.overlapping(0, 30)).containsExactly("a");
        assertThat(map.size()).isEqualTo(2);
    }

    @Test
    void manyShortOnesInALongOneLeaveNoSteps() {
        map.add(0, 1_000, "long");
        for (int i = 0; i < 1_000; i += 10) {
            map.add(i, i + 7, "short");
            assertThat(map.remove(i, i + 7, "short")).isEmpty();
        }
        assertThat(map.size()).isEqualTo(2);
    }

    /** Against a set for each address. */
    @Test
    void agreesWithAPlainModel() {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        final int length = 60;
        final List<Set<String>> model = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            model.add(new HashSet<>());
        }
        final List<Object[]> present = new ArrayList<>();
        for (int round = 0; round < 5_000; round++) {
            final boolean add = present.isEmpty() || present.size() < 12 && random.nextBoolean();
            final Object[] entry = add ? fresh(random, length, round) : present.remove(random.nextInt(present.size()));
            final int from = (int) entry[0];
            final int to = (int) entry[1];
            final String who = (String) entry[2];
            if (add) {
                present.add(entry);
                map.add(from, to, who);
                model.subList(from, to).forEach(set -> set.add(who));
            } else {
                model.subList(from, to).forEach(set -> set.remove(who));
                assertThat(map.remove(from, to, who)).as("seed %d", seed).isEqualTo(free(model, from, to));
            }
            final int start = random.nextInt(length);
            final int end = start + 1 + random.nextInt(length - start);
            final Set<String> expected = new HashSet<>();
            model.subList(start, end).forEach(expected::addAll);
            assertThat(map.overlapping(start, end)).as("seed %d", seed).isEqualTo(expected);
            assertThat(map.uncovered(start, end)).as("seed %d", seed).isEqualTo(free(model, start, end));
            assertThat(map.size()).as("seed %d", seed).isEqualTo(steps(model));
        }
    }

    private static Object[] fresh(final Random random, final int length, final int round) {
        final int from = random.nextInt(length);
        return new Object[] {from, from + 1 + random.nextInt(length - from), "w" + round};
    }

    private static List<Range> free(final List<Set<String>> model, final int from, final int to) {
        final List<Range> free = new ArrayList<>();
        int start = from;
        for (int i = from; i <= to; i++) {
            if (i == to || !model.get(i).isEmpty()) {
                if (start < i) {
                    free.add(new Range(start, i));
                }
                start = i + 1;
            }
        }
        return free;
    }

    private static int steps(final List<Set<String>> model) {
        int steps = 0;
        Set<String> before = Set.of();
        for (final Set<String> set : model) {
            steps += set.equals(before) ? 0 : 1;
            before = set;
        }
        return steps + (before.isEmpty() ? 0 : 1);
    }
}
