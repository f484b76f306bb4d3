/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many pieces may be on their way, and when the peer is told of free slots. */
class WindowTest {
    private static Window of(final int size) {
        final Window window = new Window(size);
        window.open(size);
        return window;
    }

    @Test
    void theSmallerEndSaysHowMany() {
        final Window window = new Window(8);
        window.open(5);
        assertThat(window.credits()).isEqualTo(5);
        window.open(9);
        assertThat(window.credits()).isEqualTo(8);
    }

    @Test
    void noMoreIsGivenBackThanWasTaken() {
        final Window window = of(4);
        window.use();
        window.use();
        assertThat(window.credits()).isEqualTo(2);
        assertThat(window.add(1)).isTrue();
        assertThat(window.add(1)).isTrue();
        assertThat(window.credits()).isEqualTo(4);
        assertThat(window.add(1)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "4, 1", "8, 2", "12, 3", "32, 8", "36, 8", "1024, 8"})
    void aQuarterIsPostedTogether(final int size, final int together) {
        assertThat(of(size).together()).isEqualTo(together);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 1", "3, 2", "4, 2", "5, 3", "8, 4"})
    void thePeerIsToldOfHalf(final int size, final int half) {
        final Window window = of(size);
        window.free(half - 1);
        assertThat(window.isDue()).isFalse();
        window.free(1);
        assertThat(window.isDue()).isTrue();
        assertThat(window.due()).isEqualTo(half);
        window.told();
        assertThat(window.due()).isZero();
        assertThat(window.isDue()).isFalse();
    }

    /** All are taken, due, or free: the last two are what it could be told of. */
    @ParameterizedTest
    @CsvSource({"0, 0, 4, false", "1, 0, 2, false", "1, 0, 3, true", "0, 1, 3, true", "1, 1, 2, true",
        "0, 2, 1, false", "2, 2, 3, true"})
    void aPeerWithoutAnyIsNotLeftWaiting(final int due, final int free, final int kept, final boolean isUsedUp) {
        final Window window = of(4);
        window.free(due);
        assertThat(window.isUsedUp(kept, free)).isEqualTo(isUsedUp);
    }
}
