/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RingState;

import org.agrona.concurrent.UnsafeBuffer;

/** The driver's end of a work queue: no checks, no accounting. */
final class RawQueue {
    private final RawRing ring;
    private final int stateOffset;
    private final int firstPage;
    private final int count;
    private final int stride;
    private int tail;

    RawQueue(RawRing ring, int stateOffset, int firstPage, int count, int stride) {
        this.ring = ring;
        this.stateOffset = stateOffset;
        this.firstPage = firstPage;
        this.count = count;
        this.stride = stride;
    }

    UnsafeBuffer page() {
        return ring.page(firstPage, RingIndex.slot(tail, count), stride);
    }

    int offset() {
        return RawRing.offset(RingIndex.slot(tail, count), stride);
    }

    boolean isFull() {
        final int head = ring.state().getIntAcquire(stateOffset + RingState.CONS_HEAD_OFFSET);
        return RingIndex.isFull(tail, head, count);
    }

    void publish() {
        tail = RingIndex.next(tail, count);
        ring.state().putIntRelease(stateOffset + RingState.PROD_TAIL_OFFSET, tail);
    }

    /** As far as there is room; what lies there is from the round before. Returns how far. */
    int publishAll() {
        final int head = ring.state().getIntAcquire(stateOffset + RingState.CONS_HEAD_OFFSET);
        final int by = count - RingIndex.used(tail, head, count);
        tail = RingIndex.advance(tail, by, count);
        ring.state().putIntRelease(stateOffset + RingState.PROD_TAIL_OFFSET, tail);
        return by;
    }

    void reset() {
        tail = 0;
        ring.state().putInt(stateOffset + RingState.PROD_TAIL_OFFSET, 0);
        ring.state().putInt(stateOffset + RingState.CONS_HEAD_OFFSET, 0);
    }
}
