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
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.Uar;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What send, receive and shared receive queues have in common: claim, commit, publish, full, geometry. */
class WorkQueueTest {
    private static final int TX_TAIL = RingState.TX_PROD_TAIL_OFFSET;
    private static final int TX_HEAD = RingState.TX_CONS_HEAD_OFFSET;

    /** The log has what the device finds when the doorbell rings; that the index is stored with release: FencesTest. */
    @Test
    void storesWqeThenIndexThenDoorbell() {
        final RingMemory memory = RingMemory.plain(4, 128);
        final SendQueue queue = memory.sendQueue(4, 3);
        final int wqe = queue.claim(0, 77, 2, 0, 1, 64);
        Sge.set(memory.driver, SqWqe.sgeOffset(wqe, 0), 0x1000, 64, 9);
        queue.commit();
        assertThat(memory.driver.getInt(TX_TAIL)).as("committed").isZero();
        queue.publish();
        assertThat(memory.driver.getInt(TX_TAIL)).as("published").isEqualTo(1);
        assertThat(memory.log).isEmpty();
        queue.ringDoorbell();
        assertThat(memory.log).containsExactly(doorbell(0, 1 << 30 | RingMemory.HANDLE, 1, 0));
        assertThat(Sge.lkey(memory.driver, SqWqe.sgeOffset(wqe, 0))).isEqualTo(9);
    }

    private static String doorbell(final int offset, final int word, final int tx, final int rx) {
        return "doorbell +" + offset + " 0x" + Integer.toHexString(word) + " tx " + tx + " rx " + rx;
    }

    @Test
    void receiveQueuesStoreInTheSameOrder() {
        final RingMemory memory = RingMemory.plain(4, 32);
        final ReceiveQueue queue = memory.receiveQueue(4, 1);
        postReceive(queue, queue.claim(5));
        assertThat(memory.log).containsExactly(doorbell(0, Uar.qpRecv(RingMemory.HANDLE), 0, 1));
    }

    @Test
    void sharedReceiveQueuesHaveADoorbellOfTheirOwn() {
        final RingMemory memory = RingMemory.plain(4, 32);
        final SharedReceiveQueue queue = memory.sharedReceiveQueue(4, 1);
        postReceive(queue, queue.claim(5));
        assertThat(memory.log).containsExactly(doorbell(8, Uar.srqRecv(RingMemory.HANDLE), 0, 1));
    }

    private static void postReceive(final WorkQueue queue, final int wqe) {
        RqWqe.numSge(queue.buffer(), wqe, 1);
        Sge.set(queue.buffer(), RqWqe.sgeOffset(wqe, 0), 0x1000, 64, 9);
        queue.commit();
        queue.publish();
        queue.ringDoorbell();
    }

    @Test
    void aMappedDoorbellIsRungInPlace() {
        final UnsafeBuffer uar = new UnsafeBuffer(RingMemory.allocate(1));
        final RingMemory memory = RingMemory.plain(4, 32);
        final SharedReceiveQueue queue = new SharedReceiveQueue(memory.driver, RingState.RX_OFFSET, Pdir.PAGE_SIZE, 4,
            1, new MappedDoorbell(uar), RingMemory.HANDLE);
        queue.claim(1);
        queue.commit();
        queue.publish();
        queue.ringDoorbell();
        assertThat(uar.getInt(Uar.SRQ_OFFSET)).isEqualTo(Uar.srqRecv(RingMemory.HANDLE));
        uar.putInt(Uar.SRQ_OFFSET, 0);
        queue.ringDoorbell();
        assertThat(uar.getInt(Uar.SRQ_OFFSET)).isEqualTo(Uar.srqRecv(RingMemory.HANDLE));
        assertThat(uar.getInt(0) | uar.getInt(4)).as("the other doorbells").isZero();
    }

    /** What is not looked at does not matter. */
    @Test
    void readsTheDeviceIndexOnlyWhenTheRingLooksFull() {
        final RingMemory memory = RingMemory.plain(4, 128);
        final SendQueue queue = memory.sendQueue(4, 1);
        memory.driver.putInt(TX_HEAD, -1);
        post(queue, 4);
        assertThat(queue.claim(0, 0)).isEqualTo(WorkQueue.DEVICE_ERROR);
        memory.driver.putInt(TX_HEAD, 0);
        assertThat(queue.claim(0, 0)).isEqualTo(WorkQueue.FULL);
    }

    @Test
    void clearsTheWholeHeaderOfAReusedSlotButItsNumber() {
        final RingMemory memory = RingMemory.plain(1, 128);
        final SendQueue queue = memory.sendQueue(1, 1);
        memory.driver.setMemory(Pdir.PAGE_SIZE, Pdir.PAGE_SIZE, (byte) 0xff);
        post(queue, 1);
        finish(memory, queue, 0, 1);
        memory.driver.setMemory(Pdir.PAGE_SIZE, Pdir.PAGE_SIZE, (byte) 0xff);

        final int wqe = queue.claim(42, 0);
        assertThat(SqWqe.wrId(queue.buffer(), wqe)).isEqualTo(1);
        for (int i = Long.BYTES; i < SqWqe.HEADER_LENGTH; i++) {
            assertThat(queue.buffer().getByte(wqe + i)).as("byte %d", i).isZero();
        }
        assertThat(queue.buffer().getByte(wqe + SqWqe.HEADER_LENGTH)).as("no more than that").isEqualTo((byte) -1);
    }

    @Test
    void anUncommittedClaimIsNotPosted() {
        final RingMemory memory = RingMemory.plain(2, 128);
        final SendQueue queue = memory.sendQueue(2, 1);
        final int first = queue.claim(1, 0);
        assertThat(queue.claim(2, 0)).isEqualTo(first);
        queue.publish();
        assertThat(memory.driver.getInt(TX_TAIL)).isZero();
        assertThat(queue.outstanding()).isZero();
        assertThat(queue.isOutstanding(0)).isFalse();
    }

    @Test
    void tellsWhetherSomebodyIsInTheMiddleOfAPost() {
        final SendQueue queue = RingMemory.plain(2, 128).sendQueue(2, 1);
        assertThat(queue.isPosting()).isFalse();
        queue.beginPost();
        assertThat(queue.isPosting()).isTrue();
        queue.endPost();
        assertThat(queue.isPosting()).isFalse();
    }

    @Test
    void aBatchIsShownByOnePublish() {
        final RingMemory memory = RingMemory.plain(8, 128);
        final SendQueue queue = memory.sendQueue(8, 1);
        for (int i = 0; i < 5; i++) {
            assertThat(queue.claim(i, 0)).isEqualTo(Pdir.PAGE_SIZE + i * 128);
            queue.commit();
        }
        assertThat(memory.driver.getInt(TX_TAIL)).isZero();
        queue.publish();
        assertThat(memory.driver.getInt(TX_TAIL)).isEqualTo(5);
        assertThat(queue.outstanding()).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 1024})
    void wrapsAroundManyTimes(final int count) {
        final RingMemory memory = RingMemory.plain(count, 128);
        final SendQueue queue = memory.sendQueue(count, 3);
        for (int lap = 0; lap < 10; lap++) {
            for (int i = 0; i < count; i++) {
                final long seq = (long) lap * count + i;
                assertThat(queue.claim(seq * 3, 0)).isEqualTo(Pdir.PAGE_SIZE + i * 128);
                assertThat(SqWqe.wrId(queue.buffer(), Pdir.PAGE_SIZE + i * 128)).isEqualTo(seq);
                queue.commit();
                queue.publish();
                assertThat(memory.driver.getInt(TX_TAIL)).isEqualTo((int) ((seq + 1) % (2 * count)));
            }
            assertThat(queue.claim(0, 0)).isEqualTo(WorkQueue.FULL);
            finish(memory, queue, lap * count, count);
        }
    }

    @Test
    void aSlotIsNotReusedBeforeTheDeviceConsumedItAndBeforeItCompleted() {
        final RingMemory memory = RingMemory.plain(2, 128);
        final SendQueue queue = memory.sendQueue(2, 1);
        post(queue, 2);
        memory.driver.putInt(TX_HEAD, 2);
        assertThat(queue.claim(0, 0)).as("consumed only").isEqualTo(WorkQueue.FULL);
        memory.driver.putInt(TX_HEAD, 0);
        queue.retireThrough(0);
        assertThat(queue.claim(0, 0)).as("completed only").isEqualTo(WorkQueue.FULL);
        memory.driver.putInt(TX_HEAD, 1);
        assertThat(queue.claim(0, 0)).as("both").isEqualTo(Pdir.PAGE_SIZE);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, 4, 8, 0x10000, Integer.MAX_VALUE, 3})
    void refusesAnImpossibleDeviceIndex(final int consHead) {
        final RingMemory memory = RingMemory.plain(2, 128);
        final SendQueue queue = memory.sendQueue(2, 1);
        post(queue, 2);
        memory.driver.putInt(TX_HEAD, consHead);
        assertThat(queue.claim(0, 0)).as(queue.toString()).isEqualTo(WorkQueue.DEVICE_ERROR);
    }

    @Test
    void refusesADeviceThatConsumedWhatWasNeverShown() {
        final RingMemory memory = RingMemory.plain(4, 128);
        final SendQueue queue = memory.sendQueue(4, 1);
        post(queue, 2);
        queue.claim(0, 0);
        queue.commit();
        queue.claim(0, 0);
        queue.commit();
        memory.driver.putInt(TX_HEAD, 3);
        assertThat(queue.claim(0, 0)).as(queue.toString()).isEqualTo(WorkQueue.DEVICE_ERROR);
    }

    @Test
    void resetStartsAtIndexZeroAndDisownsWhatWasOutstanding() {
        final RingMemory memory = RingMemory.plain(4, 128);
        final SendQueue queue = memory.sendQueue(4, 1);
        post(queue, 3);
        memory.driver.putInt(TX_HEAD, 2);
        queue.reset();
        assertThat(memory.driver.getInt(TX_TAIL)).isZero();
        assertThat(memory.driver.getInt(TX_HEAD)).isZero();
        assertThat(queue.outstanding()).isZero();
        assertThat(queue.isOutstanding(2)).isFalse();

        post(queue, 4);
        assertThat(queue.claim(0, 0)).isEqualTo(WorkQueue.FULL);
        assertThat(memory.driver.getInt(TX_TAIL)).isEqualTo(4);
        final long seq = SqWqe.wrId(memory.driver, Pdir.PAGE_SIZE);
        assertThat(seq).as("a number that no completion of the time before carries").isGreaterThan(2);
        assertThat(queue.isOutstanding(seq)).isTrue();
    }

    @Test
    void sharedQueueCountsCompletionsInAnyOrderAndRefusesMoreThanWerePosted() {
        final RingMemory memory = RingMemory.plain(2, 32);
        final SharedReceiveQueue queue = memory.sharedReceiveQueue(2, 1);
        postReceive(queue, queue.claim(0xabcdef0123456789L));
        postReceive(queue, queue.claim(6));
        assertThat(RqWqe.wrId(memory.driver, Pdir.PAGE_SIZE)).isEqualTo(0xabcdef0123456789L);
        memory.driver.putInt(RingState.RX_CONS_HEAD_OFFSET, 2);
        assertThat(queue.claim(7)).isEqualTo(WorkQueue.FULL);
        assertThat(queue.completed()).isTrue();
        assertThat(queue.outstanding()).isEqualTo(1);
        assertThat(queue.claim(7)).isEqualTo(Pdir.PAGE_SIZE);
        assertThat(queue.completed()).isTrue();
        assertThat(queue.completed()).as("nothing outstanding").isFalse();
        assertThat(queue.outstanding()).isZero();
    }

    @Test
    void refusesGeometryThatDoesNotFit() {
        final UnsafeBuffer two = new UnsafeBuffer(RingMemory.allocate(2));
        refused(new UnsafeBuffer(new byte[8192]), 0, 4096, 1, 1, 1);
        refused(two, 0, 4096, 3, 1, 1);
        refused(two, 0, 4096, 0, 1, 1);
        refused(two, 0, 4096, Integer.MIN_VALUE, 1, 1);
        refused(two, 0, 4096, 64, 1, 1);
        refused(two, 0, 4096, 1 << 30, 1, 1);
        refused(two, 0, 4096 + 8, 32, 1, 1);
        refused(two, 0, -8, 1, 1, 1);
        refused(two, 0, 4100, 1, 1, 1);
        refused(two, -8, 4096, 1, 1, 1);
        refused(two, 8190, 4096, 1, 1, 1);
        refused(two, 4096 + 64, 4096, 1, 1, 1);
        refused(two, 2, 4096, 1, 1, 1);
        refused(two, 0, 4096, 1, -1, 1);
        refused(two, 0, 4096, 1, 1, 1 << 24);
        refused(two, 0, 4096, 1, 1, -1);
    }

    private static void refused(final UnsafeBuffer buffer, final int state, final int elements, final int count,
        final int maxSge, final int handle) {
        final Doorbell silent = (offset, word) -> { };
        assertThatThrownBy(() -> new SendQueue(buffer, state, elements, count, maxSge, silent, handle))
            .isInstanceOf(IllegalArgumentException.class).hasMessageMatching("(?s).*\\d.*");
    }

    private static void post(final SendQueue queue, final int n) {
        for (int i = 0; i < n; i++) {
            assertThat(queue.claim(i, 0)).as(queue.toString()).isNotNegative();
            queue.commit();
        }
        queue.publish();
    }

    private static void finish(final RingMemory memory, final SendQueue queue, final int from, final int n) {
        memory.driver.putInt(TX_HEAD, (from + n) % (2 * queue.count()));
        assertThat(queue.retireThrough(from + n - 1)).as(queue.toString()).isTrue();
    }
}
