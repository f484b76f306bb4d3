/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.IovaAllocator.Range;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IovaAllocatorTest {
    private static final long PAGE = 4096;
    private static final long HIGH = 1L << 32;

    private static IovaAllocator pages(final long first, final long count) {
        return new IovaAllocator(List.of(new Range(first * PAGE, (first + count) * PAGE - 1)));
    }

    @Test
    void givesTheFirstFitAndNeverPageZero() {
        final IovaAllocator iovas = new IovaAllocator(List.of(new Range(0, 10 * PAGE - 1)));

        assertThat(iovas.capacity()).isEqualTo(9 * PAGE);
        assertThat(iovas.allocate(PAGE)).isEqualTo(PAGE);
        assertThat(iovas.allocate(2 * PAGE)).isEqualTo(2 * PAGE);
    }

    @Test
    void reusesAHoleThatFits() {
        final IovaAllocator iovas = pages(1, 10);
        final long first = iovas.allocate(3 * PAGE);
        iovas.allocate(PAGE);

        iovas.free(first);

        assertThat(iovas.allocate(4 * PAGE)).isEqualTo(5 * PAGE);
        assertThat(iovas.allocate(2 * PAGE)).isEqualTo(first);
        assertThat(iovas.freeRanges()).isEqualTo(2);
    }

    @Test
    void mergesWithBothNeighboursWhenFreed() {
        final IovaAllocator iovas = pages(1, 6);
        final long a = iovas.allocate(2 * PAGE);
        final long b = iovas.allocate(2 * PAGE);
        final long c = iovas.allocate(2 * PAGE);

        iovas.free(a);
        iovas.free(c);
        assertThat(iovas.freeRanges()).isEqualTo(2);
        iovas.free(b);

        assertThat(iovas.freeRanges()).isEqualTo(1);
        assertThat(iovas.allocate(6 * PAGE)).isEqualTo(a);
    }

    @Test
    void alignsAndKeepsTheGapUsable() {
        final IovaAllocator iovas = pages(1, 64);

        final long aligned = iovas.allocate(16 * PAGE, 16 * PAGE);

        assertThat(aligned).isEqualTo(16 * PAGE);
        assertThat(iovas.allocate(PAGE)).isEqualTo(PAGE);
        iovas.free(aligned);
        iovas.free(PAGE);
        assertThat(iovas.freeRanges()).isEqualTo(1);
    }

    @Test
    void saysHowMuchIsLeftWhenExhausted() {
        final IovaAllocator iovas = pages(1, 4);
        final long first = iovas.allocate(PAGE);
        iovas.allocate(PAGE);
        iovas.free(first);

        assertThatThrownBy(() -> iovas.allocate(3 * PAGE))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.ENOMEM))
            .hasMessageContaining("12288 bytes aligned to 4096 needed")
            .hasMessageContaining("12288 of 16384 bytes free")
            .hasMessageContaining("largest free range has 8192");
        assertThat(iovas.freeBytes()).isEqualTo(3 * PAGE);
    }

    @Test
    void refusesToFreeWhatIsNotAllocated() {
        final IovaAllocator iovas = pages(1, 4);
        final long iova = iovas.allocate(2 * PAGE);

        assertThatIllegalArgumentException().isThrownBy(() -> iovas.free(iova + PAGE));
        iovas.free(iova);
        assertThatIllegalArgumentException().isThrownBy(() -> iovas.free(iova)).withMessageContaining("0x1000");
        assertThat(iovas.freeBytes()).isEqualTo(iovas.capacity());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -PAGE, 1, PAGE + 1})
    void refusesLengthsThatAreNotWholePages(final long length) {
        final IovaAllocator iovas = pages(1, 4);

        assertThatIllegalArgumentException().isThrownBy(() -> iovas.allocate(length));
        assertThatIllegalArgumentException().isThrownBy(() -> iovas.allocateFor(7 * PAGE, length));
        assertThatIllegalArgumentException().isThrownBy(() -> iovas.tryTake(PAGE, length));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2048, 3 * PAGE, -PAGE})
    void refusesAlignmentsThatAreNoPowersOfTwoOfPages(final long alignment) {
        final IovaAllocator iovas = pages(1, 4);

        assertThatIllegalArgumentException().isThrownBy(() -> iovas.allocate(PAGE, alignment));
    }

    @Test
    void takesACertainRangeOnlyIfAllOfItIsFree() {
        final IovaAllocator iovas = pages(10, 20);

        assertThat(iovas.tryTake(12 * PAGE, 3 * PAGE)).isTrue();
        assertThat(iovas.tryTake(14 * PAGE, PAGE)).isFalse();
        assertThat(iovas.tryTake(11 * PAGE, 2 * PAGE)).isFalse();
        assertThat(iovas.tryTake(9 * PAGE, 2 * PAGE)).as("begins before the range").isFalse();
        assertThat(iovas.tryTake(29 * PAGE, 2 * PAGE)).as("ends behind it").isFalse();
        assertThat(iovas.tryTake(PAGE / 2, PAGE)).isFalse();
        assertThat(iovas.tryTake(15 * PAGE + 1, PAGE)).as("not aligned").isFalse();
        assertThat(iovas.tryTake(15 * PAGE, 15 * PAGE)).isTrue();
        assertThat(iovas.freeBytes()).isEqualTo(2 * PAGE);
        iovas.free(12 * PAGE);
        assertThat(iovas.tryTake(10 * PAGE, 5 * PAGE)).isTrue();
    }

    @Test
    void givesMemoryTheSameOffsetInTheLargestPageThatItFills() {
        final long mega = 1 << 20;
        final IovaAllocator iovas = new IovaAllocator(List.of(new Range(PAGE, (7L << 30) - 1)));
        iovas.allocate(PAGE);

        assertThat(iovas.allocateFor(0x7f00_0000_5000L, mega)).as("too small to matter").isEqualTo(HIGH + PAGE);
        assertThat(iovas.allocateFor(0x7f00_0010_5000L, 2 * mega) % (2 * mega)).isEqualTo(0x10_5000);
        assertThat(iovas.allocateFor(0x7f00_4020_0000L, 1024 * mega) % (1024 * mega)).isEqualTo(0x20_0000);
        final IovaAllocator small = new IovaAllocator(List.of(new Range(PAGE, PAGE + 3 * mega - 1)));
        assertThat(small.allocateFor(0x7f00_001f_f000L, 2 * mega)).as("better than nothing").isEqualTo(PAGE);
        assertThatThrownBy(() -> small.allocateFor(PAGE, 2 * mega)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("the largest free range has 1048576");
    }

    @Test
    void takesAddressesBelow4GiBLast() {
        final IovaAllocator iovas = new IovaAllocator(List.of(new Range(0, HIGH + 4 * PAGE - 1)));

        final long first = iovas.allocate(PAGE);
        assertThat(first).isEqualTo(HIGH);
        assertThat(iovas.allocate(PAGE, 2 * PAGE)).isEqualTo(HIGH + 2 * PAGE);
        assertThat(iovas.allocateFor(0x7f00_0000_5000L, PAGE)).isEqualTo(HIGH + PAGE);
        assertThat(iovas.allocate(2 * PAGE)).as("does not fit above").isEqualTo(PAGE);
        iovas.free(first);
        assertThat(iovas.allocate(PAGE)).isEqualTo(HIGH);
        assertThat(iovas.allocate(PAGE)).isEqualTo(HIGH + 3 * PAGE);
        assertThat(iovas.allocate(PAGE)).isEqualTo(3 * PAGE);
        assertThat(iovas.allocateFor(0x7f00_0020_0000L, 2 << 20)).isEqualTo(2 << 20);
    }

    @Test
    void prefersHighAddressesToAlignedLowOnes() {
        final IovaAllocator iovas = new IovaAllocator(List.of(new Range(0, HIGH + (3 << 20) - 1)));
        assertThat(iovas.allocateFor(0x7f00_001f_f000L, 2 << 20)).isEqualTo(HIGH);
        assertThat(iovas.tryTake(HIGH, PAGE)).isFalse();
    }

    @Test
    void oneRangeMayLieAcrossTheBorderIfItMust() {
        final IovaAllocator iovas = new IovaAllocator(List.of(new Range(HIGH - 4 * PAGE, HIGH + 4 * PAGE - 1)));
        assertThat(iovas.allocate(8 * PAGE)).isEqualTo(HIGH - 4 * PAGE);
    }

    @ParameterizedTest
    @ValueSource(ints = {28, 32})
    void narrowIommusWork(final int bits) {
        final IovaAllocator iovas = new IovaAllocator(List.of(new Range(0, (1L << bits) - 1)));
        assertThat(iovas.allocate(PAGE)).isEqualTo(PAGE);
        assertThat(iovas.allocateFor(0x7f00_0020_1000L, 2 << 20)).isEqualTo((2 << 20) + PAGE);
        assertThat(iovas.allocate(iovas.largestFree())).isPositive();
    }

    @Test
    void takesWholePagesOfOddOverlappingAndHugeRanges() {
        final IovaAllocator iovas = new IovaAllocator(List.of(
            new Range(8 * PAGE, 12 * PAGE - 1), new Range(PAGE + 1, 5 * PAGE + 100),
            new Range(4 * PAGE, 9 * PAGE - 1)));
        assertThat(iovas.capacity()).isEqualTo(10 * PAGE);
        final IovaAllocator touching = new IovaAllocator(List.of(
            new Range(PAGE, 3 * PAGE - 1), new Range(3 * PAGE, 6 * PAGE - 1)));
        assertThat(touching.allocate(5 * PAGE)).as("of two ranges").isEqualTo(PAGE);
        assertThat(iovas.freeRanges()).isEqualTo(1);
        assertThat(iovas.allocate(10 * PAGE)).isEqualTo(2 * PAGE);

        final IovaAllocator everything = new IovaAllocator(List.of(new Range(0, -1)));
        assertThat(everything.capacity()).isEqualTo(Long.MAX_VALUE - PAGE + 1 - PAGE);
        assertThat(everything.allocate(PAGE, 1L << 62)).isEqualTo(1L << 62);
    }

    @Test
    void refusesRangesWithoutAUsablePage() {
        assertThatIllegalArgumentException().isThrownBy(() -> new IovaAllocator(List.of(new Range(0, PAGE - 1))));
        assertThatIllegalArgumentException().isThrownBy(() -> new IovaAllocator(List.of(new Range(-PAGE, -1))));
        assertThatIllegalArgumentException().isThrownBy(() -> new Range(2, 1));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 20261121})
    void agreesWithASimpleModelOverManyRandomSteps(final long seed) {
        final Random random = new Random(seed);
        final int size = 200;
        final IovaAllocator iovas = pages(1, size);
        final BitSet used = new BitSet();
        final List<long[]> held = new ArrayList<>();
        for (int step = 0; step < 5000; step++) {
            if (!held.isEmpty() && random.nextInt(100) < 48) {
                final long[] extent = held.remove(random.nextInt(held.size()));
                iovas.free(extent[0]);
                used.clear((int) (extent[0] / PAGE), (int) (extent[0] / PAGE + extent[1]));
            } else {
                final int pages = 1 + random.nextInt(12);
                final int alignment = 1 << random.nextInt(4);
                final int expected = firstFit(used, size, pages, alignment);
                if (expected < 0) {
                    assertThatThrownBy(() -> iovas.allocate(pages * PAGE, alignment * PAGE))
                        .isInstanceOf(RdmaException.class);
                } else {
                    final long iova = iovas.allocate(pages * PAGE, alignment * PAGE);
                    assertThat(iova).as("step %d of seed %d", step, seed).isEqualTo(expected * PAGE);
                    used.set(expected, expected + pages);
                    held.add(new long[] {iova, pages});
                }
            }
            assertThat(iovas.freeBytes()).isEqualTo((size - used.cardinality()) * PAGE);
        }
        held.forEach(extent -> iovas.free(extent[0]));
        assertThat(iovas.freeRanges()).isEqualTo(1);
        assertThat(iovas.largestFree()).isEqualTo(iovas.capacity());
    }

    private static int firstFit(final BitSet used, final int size, final int pages, final int alignment) {
        for (int page = alignment; page + pages <= size + 1; page += alignment) {
            final int next = used.nextSetBit(page);
            if (next < 0 || next >= page + pages) {
                return page;
            }
        }
        return -1;
    }
}
