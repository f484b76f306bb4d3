/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.device.common.CommandError;

import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

/** Tables and keys. */
class EngineEnvironmentTest {
    @RepeatedTest(5)
    void findsTheNumberOfEveryKey() {
        final KeyCipher cipher = new KeyCipher(new SecureRandom());
        final Set<Integer> keys = new HashSet<>();
        for (int number = 0; number < 1 << 24; number += 97) {
            final int key = cipher.key(number, number);
            assertThat(cipher.number(key)).isEqualTo(number);
            assertThat(keys.add(key >>> 8)).isTrue();
        }
    }

    /** Of many devices, as one in a thousand would be enough to fail: no draw of secrets is a weak one. */
    @Test
    void givesKeysThatDoNotFollowEachOther() {
        for (int device = 0; device < 20_000; device++) {
            final KeyCipher cipher = new KeyCipher(new Random(device));
            final Set<Integer> distances = new HashSet<>();
            for (int number = 0; number < 200; number++) {
                distances.add(cipher.key(number + 1, 0) - cipher.key(number, 0));
            }
            assertThat(distances).as("of device %d", device).hasSizeGreaterThan(150);
        }
    }

    @Test
    void usesASlotAgainUnderAnotherNumberAndLast() {
        final ObjectTable<String> table = ObjectTable.salted("thing", 3, 1);
        final int first = table.allocate();
        table.put(first, "first");
        table.release(first);
        final Set<Integer> seen = new HashSet<>(Set.of(first));
        for (int i = 0; i < 1000; i++) {
            final int number = table.allocate();
            assertThat(number).isPositive().isLessThan(1 << 24);
            assertThat(seen.add(number)).isTrue();
            assertThat(table.get(number)).isNull();
            table.put(number, "x");
            assertThat(table.get(number)).isEqualTo("x");
            assertThat(table.get(first)).isNull();
            table.release(number);
        }
        assertThat(table.size()).isZero();
    }

    @Test
    void refusesMoreThanItsLimit() {
        final ObjectTable<String> table = ObjectTable.salted("thing", 3, 1);
        for (int i = 0; i < 3; i++) {
            table.allocate();
        }
        assertThatThrownBy(table::allocate).isInstanceOf(CommandError.class).hasMessageContaining("all 3 things");
        assertThatThrownBy(() -> table.require(77)).isInstanceOf(CommandError.class);
        assertThat(table.get(-1)).isNull();
        assertThat(table.get(Integer.MIN_VALUE)).isNull();
    }
}
