/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RingIndexTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 64, 4096, 1 << 20})
    void indexCountsThroughTwoLapsAndStartsAgain(int n) {
        int idx = 0;
        for (int i = 0; i < 2 * n; i++) {
            assertThat(idx).isEqualTo(i);
            assertThat(RingIndex.slot(idx, n)).isEqualTo(i % n);
            assertThat(RingIndex.isValid(idx, n)).isTrue();
            idx = RingIndex.next(idx, n);
        }
        assertThat(idx).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 64, 4096})
    void refusesAnIndexOutsideTwoN(int n) {
        for (int idx : new int[] {2 * n, 2 * n + 1, 4 * n, 1 << 30, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertThat(RingIndex.isValid(idx, n)).as("index " + idx + " of " + n).isFalse();
            assertThat(RingIndex.hasData(idx, 0, n)).isEqualTo(RingIndex.CORRUPT);
            assertThat(RingIndex.hasData(0, idx, n)).isEqualTo(RingIndex.CORRUPT);
            assertThat(RingIndex.hasData(idx, idx, n)).isEqualTo(RingIndex.CORRUPT);
            assertThat(RingIndex.hasSpace(idx, 0, n)).isEqualTo(RingIndex.CORRUPT);
            assertThat(RingIndex.hasSpace(0, idx, n)).isEqualTo(RingIndex.CORRUPT);
            assertThat(RingIndex.hasSpace(idx, idx, n)).isEqualTo(RingIndex.CORRUPT);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 64, 1536, 3072})
    void slotOfAnyIndexIsInsideTheRing(int n) {
        for (int idx : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 2 * n, 2 * n - 1, 0}) {
            assertThat(RingIndex.slot(idx, n)).as("index " + idx).isBetween(0, n - 1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 16})
    void tellsEveryFillLevelAtEveryHead(int n) {
        for (int head = 0; head < 2 * n; head++) {
            for (int level = 0; level <= n; level++) {
                final int tail = (head + level) % (2 * n);
                final String state = "n " + n + ", tail " + tail + ", head " + head;
                assertThat(RingIndex.used(tail, head, n)).as(state).isEqualTo(level);
                assertThat(RingIndex.advance(head, level, n)).as(state).isEqualTo(tail);
                assertThat(RingIndex.isEmpty(tail, head)).as(state).isEqualTo(level == 0);
                assertThat(RingIndex.isFull(tail, head, n)).as(state).isEqualTo(level == n);
                assertThat(RingIndex.hasData(tail, head, n)).as(state)
                    .isEqualTo(level == 0 ? RingIndex.NO_DATA : RingIndex.HAS_DATA);
                assertThat(RingIndex.hasSpace(tail, head, n)).as(state)
                    .isEqualTo(level == n ? RingIndex.NO_SPACE : RingIndex.HAS_SPACE);
            }
        }
    }

    @Test
    void moreThanFullShowsAsMoreThanN() {
        assertThat(RingIndex.used(5, 0, 4)).isEqualTo(5);
        assertThat(RingIndex.used(0, 1, 4)).isEqualTo(7);
    }

    @Test
    void answersHaveTheNumbersThatCallersCompareWith() {
        assertThat(new int[] {RingIndex.NO_DATA, RingIndex.HAS_DATA, RingIndex.CORRUPT}).containsExactly(0, 1, -1);
        assertThat(new int[] {RingIndex.NO_SPACE, RingIndex.HAS_SPACE}).containsExactly(0, 1);
    }

    @ParameterizedTest(name = "n {0}: period {1}, {2} slots")
    @CsvSource({"1536, 1024, 512", "3072, 2048, 1024", "2048, 4096, 2048", "4096, 8192, 4096"})
    void ringThatIsNoPowerOfTwoUsesOnlySomeOfItsSlots(int n, int period, int slots) {
        final BitSet seen = new BitSet();
        int idx = 0;
        int steps = 0;
        do {
            assertThat(RingIndex.isValid(idx, n)).as("index " + idx).isTrue();
            seen.set(RingIndex.slot(idx, n));
            idx = RingIndex.next(idx, n);
            steps++;
        } while (idx != 0 && steps <= 2 * n);

        assertThat(steps).isEqualTo(period);
        assertThat(seen.cardinality()).isEqualTo(slots);
        assertThat(seen.length()).isEqualTo(slots);
    }

    @ParameterizedTest
    @CsvSource({"1536, 1024", "3072, 2048"})
    void ringThatIsNoPowerOfTwoIsNeverFull(int n, int period) {
        for (int head = 0; head < period; head++) {
            for (int tail = 0; tail < period; tail++) {
                if (RingIndex.isFull(tail, head, n) || RingIndex.hasSpace(tail, head, n) != RingIndex.HAS_SPACE) {
                    throw new AssertionError("full at n " + n + ", tail " + tail + ", head " + head);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1536, 1024", "3072, 2048"})
    void ringThatIsNoPowerOfTwoLosesNoElementWhileTheConsumerKeepsUp(int n, int period) {
        final int[] elements = new int[n];
        int tail = 0;
        int head = 0;
        int consumed = 0;
        for (int produced = 1; produced <= 5 * period; produced++) {
            elements[RingIndex.slot(tail, n)] = produced;
            tail = RingIndex.next(tail, n);
            if (produced % 100 == 0) {
                while (RingIndex.hasData(tail, head, n) == RingIndex.HAS_DATA) {
                    assertThat(elements[RingIndex.slot(head, n)]).isEqualTo(++consumed);
                    head = RingIndex.next(head, n);
                }
                assertThat(consumed).isEqualTo(produced);
            }
        }
    }

    @Test
    void ringThatIsNoPowerOfTwoMiscountsAcrossItsRestart() {
        assertThat(RingIndex.used(5, 2, 1536)).isEqualTo(3);
        assertThat(RingIndex.used(5, 1023, 1536)).as("6 elements, tail restarted").isNotEqualTo(6);
        assertThat(RingIndex.hasData(5, 1023, 1536)).isEqualTo(RingIndex.HAS_DATA);
    }

    @Test
    void ringThatIsNoPowerOfTwoStillRefusesForeignBits() {
        assertThat(RingIndex.isValid(1024, 1536)).as("2n-1 is 0xbff, without bit 10").isFalse();
        assertThat(RingIndex.isValid(2048, 3072)).as("2n-1 is 0x17ff, without bit 11").isFalse();
        assertThat(RingIndex.isValid(1023, 1536)).isTrue();
        assertThat(RingIndex.isValid(2047, 3072)).isTrue();
    }
}
