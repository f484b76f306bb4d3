/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.queues.WqeConsumer;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The requests of a ring of four, taken where they are, or out of the ring at once. */
class WqeQueueTest {
    private static final int COUNT = 4;
    private static final int STRIDE = RqWqe.stride(1);

    private final UnsafeBuffer state = page();
    private final UnsafeBuffer requests = page();
    private int posted;

    private static UnsafeBuffer page() {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(Pdir.PAGE_SIZE));
    }

    private WqeQueue queue(boolean hasBacklog, int scribbleAt) {
        return new WqeQueue(new WqeConsumer(state, RingState.RX_OFFSET, new UnsafeBuffer[] {requests}, COUNT, STRIDE),
            STRIDE, hasBacklog, scribbleAt);
    }

    /** Indices run to twice the size of the ring. */
    private void post(int wrId) {
        RqWqe.header(requests, posted % COUNT * STRIDE, wrId, 1);
        Sge.set(requests, posted % COUNT * STRIDE + RqWqe.SGE_OFFSET, 0x1000L + wrId, 64, 7);
        posted++;
        state.putInt(RingState.RX_OFFSET, posted % (2 * COUNT));
    }

    private int consumed() {
        return state.getInt(RingState.RX_OFFSET + Integer.BYTES);
    }

    private static long wrId(WqeQueue queue) {
        return RqWqe.wrId(queue.page(), queue.offset());
    }

    private static void take(WqeQueue queue, int wrId) {
        assertThat(queue.peek()).isEqualTo(RingIndex.HAS_DATA);
        assertThat(wrId(queue)).isEqualTo(wrId);
        queue.advance();
    }

    @Test
    void givesThemBackOneByOne() {
        final WqeQueue queue = queue(false, 0);
        assertThat(queue.hasBacklog()).isFalse();
        assertThat(queue.plain()).isNotNull();
        assertThat(queue.peek()).isEqualTo(RingIndex.NO_DATA);
        for (int round = 0; round < 5; round++) {
            post(2 * round);
            post(2 * round + 1);
            assertThat(queue.available()).isEqualTo(2);
            assertThat(queue.known()).isEqualTo(2);
            assertThat(RqWqe.wrId(queue.page(1), queue.offset(1))).isEqualTo(2 * round + 1);
            take(queue, 2 * round);
            assertThat(consumed()).isEqualTo((2 * round + 1) % (2 * COUNT));
            take(queue, 2 * round + 1);
            assertThat(queue.peek()).isEqualTo(RingIndex.NO_DATA);
        }
        assertThat(Sge.addr(requests, RqWqe.SGE_OFFSET)).as("as it was posted").isEqualTo(0x1008);
    }

    @Test
    void makesRoomInTheRingAtOnceAndKeepsAsManyAsThat() {
        final WqeQueue queue = queue(true, 0);
        assertThat(queue.hasBacklog()).isTrue();
        assertThat(queue.plain()).isNull();
        assertThat(queue.peek()).isEqualTo(RingIndex.NO_DATA);
        for (int i = 0; i < 3; i++) {
            post(i);
        }
        assertThat(queue.available()).as("in the ring").isEqualTo(3);
        assertThat(queue.fetch()).isEqualTo(RingIndex.NO_DATA);
        assertThat(consumed()).isEqualTo(3);
        assertThat(queue.available()).as("in the backlog").isEqualTo(3);
        for (int i = 3; i < 6; i++) {
            post(i);
        }
        assertThat(queue.fetch()).as("no more room").isEqualTo(RingIndex.HAS_DATA);
        assertThat(consumed()).isEqualTo(4);
        assertThat(queue.available()).isEqualTo(6);
        for (int i = 0; i < 6; i++) {
            take(queue, i);
        }
        assertThat(queue.peek()).isEqualTo(RingIndex.NO_DATA);
        assertThat(queue.available()).isZero();
    }

    @Test
    void forgetsTheBacklogToo() {
        final WqeQueue queue = queue(true, 0);
        post(1);
        post(2);
        queue.fetch();
        queue.advance();
        assertThat(queue).asString().contains("backlog 1");
        queue.reset();
        posted = 0;
        state.setMemory(0, Pdir.PAGE_SIZE, (byte) 0);
        assertThat(queue.peek()).isEqualTo(RingIndex.NO_DATA);
        assertThat(queue).asString().contains("backlog 0");
        post(3);
        take(queue, 3);
    }

    @Test
    void overwritesAnElementAsItLeavesTheRing() {
        for (final boolean hasBacklog : new boolean[] {false, true}) {
            posted = 0;
            state.setMemory(0, Pdir.PAGE_SIZE, (byte) 0);
            final WqeQueue queue = queue(hasBacklog, RqWqe.SGE_OFFSET);
            assertThat(queue.plain()).isNull();
            post(5);
            assertThat(queue.peek()).isEqualTo(RingIndex.HAS_DATA);
            assertThat(Sge.addr(queue.page(), queue.offset() + RqWqe.SGE_OFFSET)).isEqualTo(0x1005);
            queue.advance();
            assertThat(Sge.addr(requests, RqWqe.SGE_OFFSET)).isNotEqualTo(0x1005);
            assertThat(RqWqe.wrId(requests, 0)).isEqualTo(5);
        }
    }

    @Test
    void saysThatAnIndexIsCorruptOnceTheBacklogIsDone() {
        final WqeQueue queue = queue(true, 0);
        post(1);
        queue.fetch();
        state.putInt(RingState.RX_OFFSET, 77);
        assertThat(queue.available()).isEqualTo(RingIndex.CORRUPT);
        assertThat(queue.peek()).isEqualTo(RingIndex.HAS_DATA);
        queue.advance();
        assertThat(queue.peek()).isEqualTo(RingIndex.CORRUPT);
    }
}
