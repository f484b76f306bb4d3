/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SqWqe;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a queue leaves for others to see is what it did. */
@Timeout(60)
class QueueTotalsTest {
    private static final int COUNT = 8;
    private static final int POSTER = 64;
    private static final int RETIRED = 128;

    private final UnsafeBuffer memory = new UnsafeBuffer(BufferUtil.allocateDirectAligned(256, 64));
    private final QueueTotals totals = new QueueTotals(memory, POSTER, RETIRED);
    private final RingMemory ring = RingMemory.plain(COUNT, SqWqe.stride(1));
    private final SendQueue sends = new SendQueue(ring.driver, RingState.TX_OFFSET, Pdir.PAGE_SIZE, COUNT, 1,
        ring.doorbell, RingMemory.HANDLE, totals);

    private void post(final int count, final int length) {
        for (int i = 0; i < count; i++) {
            assertThat(sends.claim(i, 0, length)).isNotNegative();
            sends.commit();
        }
        sends.publish();
        sends.ringDoorbell();
    }

    private void assertTotals(final long posted, final long doorbells, final long full, final long retired) {
        assertTotals(posted, doorbells, full, retired, 0);
    }

    private void assertTotals(
        final long posted, final long doorbells, final long full, final long retired, final long skipped) {
        assertThat(new long[] {memory.getLong(POSTER), memory.getLong(POSTER + 8), memory.getLong(POSTER + 16),
            memory.getLong(RETIRED), memory.getLong(RETIRED + 8)}).as("%s", sends)
            .containsExactly(posted, doorbells, full, retired, skipped);
        for (int i = 0; i < memory.capacity(); i += Long.BYTES) {
            if ((i < RETIRED || i > RETIRED + 8) && (i < POSTER || i > POSTER + 16)) {
                assertThat(memory.getLong(i)).as("beside them, at %d", i).isZero();
            }
        }
    }

    @Test
    void postsDoorbellsAndCompletions() {
        post(1, 0);
        assertTotals(1, 1, 0, 0);
        post(4, 0);
        assertTotals(5, 2, 0, 0);
        sends.claim(9, 0);
        assertTotals(5, 2, 0, 0);
        assertThat(sends.retireThrough(2)).isTrue();
        assertTotals(5, 2, 0, 3);
        assertThat(sends.retireOne(4)).as("ahead of one before it").isTrue();
        assertTotals(5, 2, 0, 3);
        assertThat(sends.retireOne(3)).isTrue();
        assertTotals(5, 2, 0, 5);
        assertThat(sends.retireThrough(77)).as("a stale one").isFalse();
        assertTotals(5, 2, 0, 5);
    }

    @Test
    void whatIsPublishedWithoutADoorbell() {
        sends.claim(1, 0);
        sends.commit();
        sends.publish();
        sends.showPublished();
        assertTotals(1, 0, 0, 0);
    }

    @Test
    void refusals() {
        post(COUNT, 0);
        for (int i = 1; i <= 3; i++) {
            assertThat(sends.claim(1, 0)).isEqualTo(WorkQueue.FULL);
            assertTotals(COUNT, 1, i, 0);
        }
    }

    @Test
    void numbersGoOnAfterReset() {
        post(3, 0);
        sends.reset();
        assertTotals(2 * COUNT, 1, 0, 2 * COUNT, 2 * COUNT - 3);
        post(1, 0);
        assertTotals(2 * COUNT + 1, 2, 0, 2 * COUNT, 2 * COUNT - 3);
        sends.reset();
        assertTotals(4 * COUNT, 2, 0, 4 * COUNT, 4 * COUNT - 4);
    }

    /** What was never shown has a number, and is left out as well. */
    @Test
    void whatWasNotShownBeforeAResetIsNoneOfTheShown() {
        post(3, 0);
        sends.claim(1, 0);
        sends.commit();
        sends.reset();
        assertTotals(2 * COUNT, 1, 0, 2 * COUNT, 2 * COUNT - 3);
    }

    @Test
    void whatOthersWriteMisleadsOthersOnly() {
        post(3, 0);
        memory.setMemory(0, memory.capacity(), (byte) 0xff);
        assertThat(sends.sequence()).isEqualTo(3);
        assertThat(sends.outstanding()).isEqualTo(3);
        assertThat(sends.retireThrough(2)).isTrue();
        post(1, 0);
        assertThat(memory.getLong(POSTER)).isEqualTo(4);
        assertThat(memory.getLong(POSTER + 8)).isEqualTo(2);
        assertThat(memory.getLong(RETIRED)).isEqualTo(3);
    }

    @Test
    void bytesOfAllThatRetireTogether() {
        post(2, 10);
        post(2, 100);
        assertThat(sends.lengthThrough(0)).isEqualTo(10);
        assertThat(sends.lengthThrough(3)).isEqualTo(220);
        sends.retireOne(2);
        assertThat(sends.lengthThrough(3)).as("without what failed ahead").isEqualTo(120);
        sends.retireThrough(1);
        assertThat(sends.lengthThrough(3)).isEqualTo(100);
        sends.retireThrough(3);
        post(1, Integer.MAX_VALUE);
        post(1, Integer.MAX_VALUE);
        assertThat(sends.lengthThrough(5)).isEqualTo(2L * Integer.MAX_VALUE);
    }

    /** Whoever comes last leaves the truth, as there are several pollers. */
    @Test
    void completionsOfASharedQueue() throws InterruptedException {
        final int count = 1024;
        final RingMemory shared = RingMemory.plain(count, RqWqe.stride(1));
        final SharedReceiveQueue queue = new SharedReceiveQueue(shared.driver, RingState.RX_OFFSET, Pdir.PAGE_SIZE,
            count, 1, shared.doorbell, RingMemory.HANDLE, totals);
        for (int i = 0; i < count; i++) {
            queue.claim(i);
            queue.commit();
        }
        queue.publish();
        queue.ringDoorbell();
        final Thread[] pollers = new Thread[4];
        for (int i = 0; i < pollers.length; i++) {
            pollers[i] = new Thread(() -> {
                while (queue.completed()) {
                    Thread.onSpinWait();
                }
            });
            pollers[i].start();
        }
        for (final Thread poller : pollers) {
            poller.join();
        }
        assertThat(memory.getLong(POSTER)).isEqualTo(count);
        assertThat(memory.getLong(RETIRED)).as("%s", queue).isEqualTo(count);
    }

    @Test
    void memoryThatCannotBe() {
        final UnsafeBuffer heap = new UnsafeBuffer(new byte[256]);
        assertThatThrownBy(() -> new QueueTotals(heap, 0, 64)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("outside of the heap");
        for (final int offset : new int[] {-8, 4, 240, 256, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> new QueueTotals(memory, offset, 0)).as("poster at %d", offset)
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(Integer.toString(offset));
        }
        for (final int offset : new int[] {-8, 4, 248, 256, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> new QueueTotals(memory, 0, offset)).as("retired at %d", offset)
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining(Integer.toString(offset));
        }
    }
}
