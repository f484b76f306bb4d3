/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.device.common.CommandError;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;

/** Objects and their numbers. */
final class ObjectTableTest {
    private static final int LIMIT = 3;

    private static List<ObjectTable<String>> tables() {
        return List.of(ObjectTable.salted("thing", LIMIT, 5), ObjectTable.indices("thing", LIMIT + 1),
            ObjectTable.stacked("thing", LIMIT));
    }

    @Test
    void eachObjectHasANumberOfItsOwn() {
        for (final ObjectTable<String> table : tables()) {
            final Set<Integer> numbers = new HashSet<>();
            for (int i = 0; i < LIMIT; i++) {
                final int number = table.add(own -> "object " + own);
                assertThat(table.require(number)).isEqualTo("object " + number);
                numbers.add(number);
            }
            assertThat(numbers).hasSize(LIMIT);
            assertThatThrownBy(() -> table.add(own -> "one more")).isInstanceOf(CommandError.class)
                .hasMessageContaining("all 3 things");
        }
    }

    /** As a queue pair's it would be that of multicast. The salts go round meanwhile. */
    @Test
    void noNumberIsAllOnesOr0() {
        for (final int firstSalt : new int[] {0, 1, 0x7f_fffd, 0x7f_fffe, 0x7f_ffff, -1}) {
            final ObjectTable<String> table = ObjectTable.salted("thing", 2, firstSalt);
            final Set<Integer> numbers = new HashSet<>();
            for (int i = 0; i < 10; i++) {
                final int number = table.add(own -> "object");
                assertThat(number).isNotIn(0, ObjectTable.MAX_NUMBER);
                assertThat(numbers.add(number)).as("0x%x is a number of its own", number).isTrue();
                table.release(number);
            }
        }
    }

    @Test
    void whatCannotBeMadeLeavesItsNumberToOthers() {
        final IntFunction<String> tooLarge = number -> {
            throw new OutOfMemoryError("no room for " + number);
        };
        for (final ObjectTable<String> table : tables()) {
            for (int i = 0; i < 2 * LIMIT; i++) {
                assertThatThrownBy(() -> table.add(tooLarge)).isInstanceOf(OutOfMemoryError.class);
            }
            assertThat(table.size()).isZero();
            for (int i = 0; i < LIMIT; i++) {
                table.add(own -> "object");
            }
            assertThat(table.snapshot()).hasSize(LIMIT);
        }
    }
}
