/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.SqWqe;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WQEs that come from another queue as they are. */
class ClaimCopyTest {
    private static final int SGES = 11;
    private static final int STRIDE = SqWqe.stride(SGES);

    private final RingMemory memory = RingMemory.plain(4, STRIDE);
    private final SendQueue queue = memory.sendQueue(4, SGES);
    private final SendQueue images = RingMemory.plain(4, STRIDE).sendQueue(4, SGES);

    /** Each byte of the slot tells its place, but for the number of entries. */
    private int fill(final int slot, final int sges) {
        final int wqe = images.slotOffset(slot);
        for (int i = 0; i < STRIDE; i++) {
            images.buffer().putByte(wqe + i, (byte) (slot * 100 + i));
        }
        SqWqe.numSge(images.buffer(), wqe, sges);
        return wqe;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, SGES})
    void copiesHeaderAndEntriesAndNothingBehindThem(final int sges) {
        final int image = fill(2, sges);
        memory.driver.setMemory(Pdir.PAGE_SIZE, Pdir.PAGE_SIZE, (byte) 0xee);
        final int wqe = queue.claimCopy(0, 77, 5, 640, images, 2);

        assertThat(wqe).isEqualTo(queue.slotOffset(0));
        assertThat(SqWqe.wrId(queue.buffer(), wqe)).as("wr_id is this queue's").isZero();
        final int end = SqWqe.sgeOffset(0, sges);
        for (int i = SqWqe.NUM_SGE_OFFSET; i < end; i++) {
            assertThat(queue.buffer().getByte(wqe + i)).as("byte %d", i).isEqualTo(images.buffer().getByte(image + i));
        }
        for (int i = end; i < STRIDE; i++) {
            assertThat(queue.buffer().getByte(wqe + i)).as("byte %d", i).isEqualTo((byte) 0xee);
        }
    }

    @Test
    void remembersWhatThePollerNeeds() {
        fill(0, 1);
        queue.claim(1, 0);
        queue.commit();
        queue.claimCopy(0, -9, 5, 640, images, 0);
        queue.putCopy(1, -9, 5, 640, images, 0);
        queue.commit(2);
        queue.publish();
        for (int i = 1; i <= 2; i++) {
            assertThat(SqWqe.wrId(queue.buffer(), queue.slotOffset(i))).isEqualTo(i);
            assertThat(queue.userWrId(i)).isEqualTo(-9);
            assertThat(queue.flags(i)).isEqualTo(5);
            assertThat(queue.length(i)).isEqualTo(640);
        }
    }

    @Test
    void stopsAtAFullQueueAndAtADeviceThatWentWrong() {
        fill(0, 1);
        for (int i = 0; i < 4; i++) {
            assertThat(queue.claimCopy(i, i, 0, 0, images, 0)).isEqualTo(queue.slotOffset(i));
        }
        assertThat(queue.claimCopy(4, 4, 0, 0, images, 0)).isEqualTo(WorkQueue.FULL);
        assertThat(queue.putCopy(4, 4, 0, 0, images, 0)).isEqualTo(WorkQueue.FULL);
        queue.commit(4);
        queue.publish();
        memory.driver.putInt(RingState.TX_CONS_HEAD_OFFSET, 7);
        assertThat(queue.claimCopy(0, 4, 0, 0, images, 0)).isEqualTo(WorkQueue.DEVICE_ERROR);
        assertThat(queue.putCopy(0, 4, 0, 0, images, 0)).isEqualTo(WorkQueue.DEVICE_ERROR);
    }

    @Test
    void anImageThatClaimsTooManyEntriesStaysInItsSlot() {
        fill(1, SqWqe.MAX_SGE);
        memory.driver.setMemory(Pdir.PAGE_SIZE, Pdir.PAGE_SIZE, (byte) 0xee);
        final int wqe = queue.claimCopy(0, 1, 0, 0, images, 1);
        assertThat(queue.buffer().getByte(wqe + STRIDE - 1)).isEqualTo((byte) (100 + STRIDE - 1));
        assertThat(queue.buffer().getByte(wqe + STRIDE)).as("the next slot").isEqualTo((byte) 0xee);
    }

    @Test
    void tellsTheSlotOfWhatIsClaimed() {
        for (int i = 0; i < 10; i++) {
            assertThat(queue.slot(0)).isEqualTo(i % 4);
            assertThat(queue.claim(i, 0)).isEqualTo(queue.slotOffset(i % 4));
            assertThat(queue.slot(0)).as("while it is claimed").isEqualTo(i % 4);
            queue.commit();
            queue.publish();
            memory.driver.putInt(RingState.TX_CONS_HEAD_OFFSET, (i + 1) % 8);
            queue.retireThrough(i);
        }
    }
}
