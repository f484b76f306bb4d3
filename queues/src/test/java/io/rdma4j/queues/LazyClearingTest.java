/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WrOpcode;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each header is what one would be that was cleared as a whole, whatever was in the slot before. */
@Timeout(60)
class LazyClearingTest {
    private static final int COUNT = 4;
    private static final int STRIDE = SqWqe.stride(1);
    private static final int TAIL = RingState.TX_PROD_TAIL_OFFSET;
    private static final int HEAD = RingState.TX_CONS_HEAD_OFFSET;

    private final RingMemory memory = RingMemory.plain(COUNT, STRIDE);
    private final SendQueue queue = memory.sendQueue(COUNT, 1);
    private final UnsafeBuffer expected = new UnsafeBuffer(new byte[STRIDE]);
    private final SendQueue images = RingMemory.plain(1, STRIDE).sendQueue(1, 1);
    /** Elements of the batch before this one. */
    private int ahead;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void afterAnySequenceOfOperations(final long seed) {
        final Random random = new Random(seed);
        memory.driver.setMemory(Pdir.PAGE_SIZE, COUNT * STRIDE, (byte) 0xee);
        for (int i = 0; i < 5_000; i++) {
            if (queue.outstanding() == COUNT) {
                complete();
            }
            final int batch = 1 + random.nextInt(COUNT - queue.outstanding());
            for (ahead = 0; ahead < batch; ahead++) {
                final int wqe = write(random, random.nextInt(9));
                for (int at = 0; at < SqWqe.HEADER_LENGTH; at++) {
                    assertThat(memory.driver.getByte(wqe + at)).as("seed %d, post %d + %d, byte %d, %s", seed, i, ahead,
                        at, queue).isEqualTo(expected.getByte(at));
                }
            }
            queue.commit(batch);
            queue.publish();
            if (random.nextInt(50) == 0) {
                queue.reset();
            } else if (random.nextInt(3) != 0) {
                complete();
            }
        }
    }

    /** Writes one in one of the ways there are, here and into the buffer that is cleared each time. */
    private int write(final Random random, final int way) {
        SqWqe.clearHeader(expected, 0);
        final int opcode = way < 4 ? WrOpcode.PVRDMA_WR_SEND : random.nextInt(WrOpcode.PVRDMA_WR_ERROR + 1);
        final int wqe = queue.slotOffset(queue.slot(ahead));
        SqWqe.header(expected, 0, queue.sequence() + ahead, 1, opcode, way);
        switch (way) {
            case 0 -> assertThat(queue.put(ahead, 1, opcode, way, 2, 3, 4)).isZero();
            case 1 -> anything(random);
            case 2 -> copied(random);
            case 8 -> putCopied(random);
            default -> claimed(random, opcode, way);
        }
        // What is not kept is written over.
        return random.nextInt(10) == 0 ? write(random, way) : wqe;
    }

    /** A claim that promises nothing about what is written. */
    private void anything(final Random random) {
        final int wqe = queue.claim(ahead, 1, WrOpcode.PVRDMA_WR_SEND, 1, 1, 0);
        queue.markWide(ahead);
        fill(random, wqe, SqWqe.IMM_DATA_OFFSET);
    }

    private void copied(final Random random) {
        for (int at = 0; at < SqWqe.HEADER_LENGTH; at++) {
            images.buffer().putByte(Pdir.PAGE_SIZE + at, (byte) random.nextInt());
        }
        SqWqe.numSge(images.buffer(), Pdir.PAGE_SIZE, 1);
        expected.putBytes(0, images.buffer(), Pdir.PAGE_SIZE, SqWqe.HEADER_LENGTH);
        SqWqe.wrId(expected, 0, queue.sequence() + ahead);
        queue.claimCopy(ahead, 1, 0, 0, images, 0);
    }

    /** A message, or what writes no further than a write does. */
    private void putCopied(final Random random) {
        final int opcode = random.nextInt(WrOpcode.PVRDMA_WR_RDMA_READ);
        SqWqe.clearHeader(images.buffer(), Pdir.PAGE_SIZE);
        SqWqe.header(images.buffer(), Pdir.PAGE_SIZE, 99, 1, opcode, 8);
        if (opcode != WrOpcode.PVRDMA_WR_SEND) {
            SqWqe.immData(images.buffer(), Pdir.PAGE_SIZE, random.nextInt());
            SqWqe.rdma(images.buffer(), Pdir.PAGE_SIZE, random.nextLong(), random.nextInt());
        }
        expected.putBytes(0, images.buffer(), Pdir.PAGE_SIZE, SqWqe.HEADER_LENGTH);
        SqWqe.wrId(expected, 0, queue.sequence() + ahead);
        assertThat(queue.putCopy(ahead, 1, 8, 64, images, 0)).isZero();
    }

    private void claimed(final Random random, final int opcode, final int flags) {
        final int wqe = queue.claim(ahead, 1, opcode, flags, 1, 64);
        switch (opcode) {
            case WrOpcode.PVRDMA_WR_SEND -> maybeWide(random, wqe);
            case WrOpcode.PVRDMA_WR_SEND_WITH_IMM, WrOpcode.PVRDMA_WR_SEND_WITH_INV, WrOpcode.PVRDMA_WR_LOCAL_INV ->
                fill(random, wqe, SqWqe.IMM_DATA_OFFSET, SqWqe.UNION_OFFSET);
            case WrOpcode.PVRDMA_WR_RDMA_WRITE, WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM, WrOpcode.PVRDMA_WR_RDMA_READ,
                WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV -> maybeRdma(random, wqe);
            default -> fill(random, wqe, SqWqe.IMM_DATA_OFFSET);
        }
    }

    private void maybeRdma(final Random random, final int wqe) {
        fill(random, wqe, SqWqe.IMM_DATA_OFFSET, SqWqe.UNION_OFFSET);
        if (random.nextBoolean()) {
            final long address = random.nextLong();
            final int rkey = random.nextInt();
            SqWqe.rdma(memory.driver, wqe, address, rkey);
            SqWqe.rdma(expected, 0, address, rkey);
        }
    }

    /** As with an address vector, or the index of a GID. */
    private void maybeWide(final Random random, final int wqe) {
        if (random.nextBoolean()) {
            queue.markWide(ahead);
            fill(random, wqe, SqWqe.UNION_OFFSET);
        }
    }

    private void fill(final Random random, final int wqe, final int from) {
        fill(random, wqe, from, SqWqe.HEADER_LENGTH);
    }

    private void fill(final Random random, final int wqe, final int from, final int to) {
        for (int at = from; at < to; at++) {
            final byte value = (byte) random.nextInt();
            memory.driver.putByte(wqe + at, value);
            expected.putByte(at, value);
        }
    }

    private void complete() {
        memory.driver.putInt(HEAD, memory.driver.getInt(TAIL));
        queue.retireThrough(queue.sequence() - 1);
    }

    @Test
    void putIsClaimAndEntry() {
        final SendQueue other = RingMemory.plain(COUNT, STRIDE).sendQueue(COUNT, 1);
        for (int i = 0; i < COUNT; i++) {
            final int wqe = other.claim(0, i, WrOpcode.PVRDMA_WR_SEND, 2, 1, 64);
            Sge.set(other.buffer(), SqWqe.sgeOffset(wqe, 0), ~i, 64, 7);
            other.commit();
            assertThat(queue.put(0, i, WrOpcode.PVRDMA_WR_SEND, 2, ~i, 64, 7)).isZero();
            queue.commit();
            for (int at = 0; at < SqWqe.SGE_OFFSET + Sge.LENGTH; at++) {
                assertThat(queue.buffer().getByte(wqe + at)).as("byte %d", at)
                    .isEqualTo(other.buffer().getByte(wqe + at));
            }
            queue.publish();
            assertThat(queue.isOutstanding(i)).isTrue();
            assertThat(queue.userWrId(i)).isEqualTo(i);
            assertThat(queue.flags(i)).isEqualTo(2);
            assertThat(queue.length(i)).isEqualTo(64);
        }
        assertThat(queue.put(0, 9, WrOpcode.PVRDMA_WR_SEND, 2, 0, 64, 7)).isEqualTo(WorkQueue.FULL);
        memory.driver.putInt(HEAD, 7);
        assertThat(queue.put(0, 9, WrOpcode.PVRDMA_WR_SEND, 2, 0, 64, 7)).isEqualTo(WorkQueue.DEVICE_ERROR);
    }

    @Test
    void aReceiveIsPutTheSameWay() {
        final RingMemory rings = RingMemory.plain(2, 32);
        final ReceiveQueue receives = rings.receiveQueue(2, 1);
        assertThat(receives.put(0, 77, 0x1000, 64, 9)).isZero();
        assertThat(receives.claim(1, 78, 1, 65)).isEqualTo(Pdir.PAGE_SIZE + 32);
        Sge.set(rings.driver, RqWqe.sgeOffset(Pdir.PAGE_SIZE + 32, 0), 0x1000, 64, 9);
        receives.commit(2);
        receives.publish();
        final UnsafeBuffer bytes = rings.driver;
        for (int at = Long.BYTES; at < 32; at++) {
            assertThat(bytes.getByte(Pdir.PAGE_SIZE + at)).as("byte %d", at)
                .isEqualTo(bytes.getByte(Pdir.PAGE_SIZE + 32 + at));
        }
        assertThat(receives.userWrId(0)).isEqualTo(77);
        assertThat(receives.length(0)).isEqualTo(64);
        assertThat(receives.length(1)).isEqualTo(65);
        assertThat(receives.put(0, 79, 0, 0, 0)).isEqualTo(WorkQueue.FULL);
    }

    @Test
    void nothingIsPutWhereNoEntryFits() {
        final SendQueue none = RingMemory.plain(1, 128).sendQueue(1, 0);
        assertThat(none.put(0, 1, WrOpcode.PVRDMA_WR_SEND, 0, 0, 0, 0)).isEqualTo(WorkQueue.FULL);
    }
}
