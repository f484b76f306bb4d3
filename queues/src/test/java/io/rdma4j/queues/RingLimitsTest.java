/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingState;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What just fits is taken, and memory of every kind can hold a device's ring. */
@Timeout(60)
class RingLimitsTest {
    private static final int STATE_LENGTH = RingState.CONS_HEAD_OFFSET + Integer.BYTES;

    /** Where indices and elements touch each other and the ends of the memory. */
    @ParameterizedTest
    @CsvSource({"0, 8, 1", "128, 0, 1", "0, 8, 31", "3968, 0, 31"})
    void driverRingsThatTouch(final int state, final int elements, final int wanted) {
        final int count = Integer.highestOneBit(wanted);
        final int end = Math.max(state + STATE_LENGTH, elements + count * 128);
        final UnsafeBuffer memory = new UnsafeBuffer(new UnsafeBuffer(RingMemory.allocate(2)), 0, end);
        final SendQueue queue = new SendQueue(memory, state, elements, count, 1, (offset, word) -> { }, 1);
        assertThat(queue.claim(1, 0)).isEqualTo(elements);
        queue.commit();
        queue.publish();
        assertThat(memory.getInt(state + RingState.PROD_TAIL_OFFSET)).isEqualTo(1 % (2 * count));
    }

    @ParameterizedTest
    @CsvSource({"8188, 4096, ring state outside", "0x7ffffff8, 4096, ring state outside",
        "4092, 4096, ring state among", "4096, 4096, ring state among"})
    void driverRingsThatOverlap(final int state, final int elements, final String rule) {
        final UnsafeBuffer memory = new UnsafeBuffer(RingMemory.allocate(2));
        assertThatThrownBy(() -> new SendQueue(memory, state, elements, 1, 1, (offset, word) -> { }, 1))
            .isInstanceOf(IllegalArgumentException.class).hasMessageStartingWith(rule);
    }

    @Test
    void totalsAtTheEndOfTheirMemory() {
        final UnsafeBuffer memory = new UnsafeBuffer(RingMemory.allocate(1));
        assertThat(new QueueTotals(memory, Pdir.PAGE_SIZE - 24, Pdir.PAGE_SIZE - 16)).hasToString(
            "posted=0, doorbells=0, full=0, retired=0, skipped=0 in " + memory);
        QueueTotals.posted(memory.addressOffset(), 7, 8);
        QueueTotals.full(memory.addressOffset(), 9);
        QueueTotals.retired(memory.addressOffset() + 24, 10);
        QueueTotals.skipped(memory.addressOffset() + 24, 11);
        assertThat(new QueueTotals(memory, 0, 24)).hasToString(
            "posted=7, doorbells=8, full=9, retired=10, skipped=11 in " + memory);
    }

    /** A ring that is full goes into one that it fills, and writes nothing behind what is pending. */
    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void fullRingsAreCopied(final int room) {
        final CqeProducer full = RingMemory.plain(4, Cqe.LENGTH).cqeProducer(4);
        while (full.claim()) {
            full.page().putLong(full.offset(), -1);
            full.publish();
        }
        final RingMemory next = RingMemory.plain(room, Cqe.LENGTH);
        assertThat(full.copyTo(next.cqeProducer(room))).isEqualTo(4);
        assertThat(next.driver.getLong(Pdir.PAGE_SIZE + 3 * Cqe.LENGTH)).isEqualTo(-1);
        assertThat(next.driver.getLong(Pdir.PAGE_SIZE + 4 * Cqe.LENGTH)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1, 4096", "1, 4", "1024, 4", "64, 64"})
    void deviceRingsThatFillTheirPage(final int count, final int stride) {
        final UnsafeBuffer state = new UnsafeBuffer(RingMemory.allocate(1));
        final UnsafeBuffer[] pages = {new UnsafeBuffer(RingMemory.allocate(1))};
        final CqeProducer producer =
            new CqeProducer(state, Pdir.PAGE_SIZE - STATE_LENGTH, pages, count, stride);
        for (int i = 0; i < count; i++) {
            assertThat(producer.claim()).isTrue();
            assertThat(producer.offset()).isEqualTo(i * stride);
            producer.publish();
        }
        assertThat(producer.claim()).isFalse();
        assertThat(state.getInt(Pdir.PAGE_SIZE - STATE_LENGTH + RingState.PROD_TAIL_OFFSET)).isEqualTo(count);
    }

    /** Whoever copies by address and whoever copies by page reach the same bytes. */
    @Test
    void addressesAreThoseOfThePages() {
        final RingMemory memory = RingMemory.plain(128, Cqe.LENGTH);
        final CqeProducer producer = memory.cqeProducer(128);
        final WqeConsumer consumer = memory.receiveConsumer(128, 3);
        for (int i = 0; i < 128; i++) {
            final long address = memory.driver.addressOffset() + Pdir.PAGE_SIZE + i * Cqe.LENGTH;
            assertThat(producer.claim()).isTrue();
            assertThat(producer.address()).isEqualTo(producer.page().addressOffset() + producer.offset())
                .isEqualTo(address);
            producer.publish();
            assertThat(consumer.peek()).isEqualTo(WqeConsumer.HAS_DATA);
            assertThat(consumer.address()).isEqualTo(consumer.page().addressOffset() + consumer.offset())
                .isEqualTo(address);
            consumer.advance();
        }
    }

    @Test
    void indicesCanBeOnTheHeap() {
        final UnsafeBuffer state = new UnsafeBuffer(new byte[Pdir.PAGE_SIZE]);
        assertBothEnds(state);
    }

    /** A page that looks at what is done with it is asked each time, and never gone round by its address. */
    @Test
    void indicesCanBeWatched() {
        final List<String> seen = new ArrayList<>();
        final UnsafeBuffer state = new UnsafeBuffer(RingMemory.allocate(1)) {
            @Override
            public int getIntAcquire(final int index) {
                seen.add("load " + index);
                return super.getIntAcquire(index);
            }

            @Override
            public void putIntRelease(final int index, final int value) {
                seen.add("store " + index);
                super.putIntRelease(index, value);
            }
        };
        assertBothEnds(state);
        final int tail = RingState.RX_PROD_TAIL_OFFSET;
        final int head = RingState.RX_CONS_HEAD_OFFSET;
        assertThat(seen).containsExactly("store " + tail, "load " + head, "load " + tail, "store " + head,
            "load " + head);
    }

    private static void assertBothEnds(final UnsafeBuffer state) {
        final UnsafeBuffer[] pages = {new UnsafeBuffer(RingMemory.allocate(1))};
        final CqeProducer producer = new CqeProducer(state, RingState.RX_OFFSET, pages, 1, Cqe.LENGTH);
        final WqeConsumer consumer = new WqeConsumer(state, RingState.RX_OFFSET, pages, 1, Cqe.LENGTH);
        assertThat(producer.claim()).isTrue();
        producer.publish();
        assertThat(state.getInt(RingState.RX_PROD_TAIL_OFFSET)).isEqualTo(1);
        assertThat(producer.claim()).isFalse();
        assertThat(consumer.available()).isEqualTo(1);
        consumer.advance();
        assertThat(state.getInt(RingState.RX_CONS_HEAD_OFFSET)).isEqualTo(1);
        assertThat(producer.claim()).isTrue();
    }
}
