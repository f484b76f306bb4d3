/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.queues.WqeConsumer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The work requests of a send or receive queue, in the driver's ring. With a backlog, as QEMU has it in its backend,
 * they are taken out of the ring at the doorbell and wait in memory of the device.
 */
final class WqeQueue {
    private final WqeConsumer ring;
    private final int stride;
    private UnsafeBuffer backlog;
    private final int scribbleAt;
    private int head;
    private int tail;

    /**
     * The device's end of a ring.
     *
     * @param ring       of the driver.
     * @param stride     bytes of a request.
     * @param hasBacklog whether requests are taken out of the ring at once.
     * @param scribbleAt where in a request to overwrite an SGE once it is taken out, 0 for not at all: QEMU's legacy
     *                   path translates addresses in the driver's own ring.
     */
    WqeQueue(WqeConsumer ring, int stride, boolean hasBacklog, int scribbleAt) {
        this.ring = ring;
        this.stride = stride;
        this.scribbleAt = scribbleAt;
        this.backlog = hasBacklog ? new UnsafeBuffer(new byte[ring.count() * stride]) : null;
    }

    int count() {
        return ring.count();
    }

    boolean hasBacklog() {
        return backlog != null;
    }

    /** The ring itself, for who takes requests out of it without a look at this; null if that would not do. */
    WqeConsumer plain() {
        return backlog == null && scribbleAt == 0 ? ring : null;
    }

    /**
     * Moves what is in the ring to the backlog, as far as that has room.
     *
     * @return what {@link WqeConsumer#peek} said last: not {@link RingIndex#HAS_DATA} unless the backlog is full.
     */
    int fetch() {
        int found = ring.peek();
        while (found == RingIndex.HAS_DATA && tail - head < ring.count()) {
            backlog.putBytes((tail & ring.count() - 1) * stride, ring.page(), ring.offset(), stride);
            leaveRing();
            tail++;
            found = ring.peek();
        }
        return found;
    }

    /** {@link RingIndex#HAS_DATA}, {@link RingIndex#NO_DATA} or {@link RingIndex#CORRUPT}. */
    int peek() {
        if (backlog == null) {
            return ring.peek();
        }
        final int rest = fetch();
        return tail != head ? RingIndex.HAS_DATA : rest;
    }

    /** How many are known to be there without looking again; only without a backlog, as the next two. */
    int known() {
        return ring.known();
    }

    UnsafeBuffer page(int ahead) {
        return ring.page(ahead);
    }

    int offset(int ahead) {
        return ring.offset(ahead);
    }

    /** How many are there, or {@link RingIndex#CORRUPT}. */
    int available() {
        final int inRing = ring.available();
        return inRing == RingIndex.CORRUPT ? inRing : tail - head + inRing;
    }

    UnsafeBuffer page() {
        return backlog == null ? ring.page() : backlog;
    }

    int offset() {
        return backlog == null ? ring.offset() : (head & ring.count() - 1) * stride;
    }

    void advance() {
        if (backlog == null) {
            leaveRing();
        } else {
            head++;
        }
    }

    private void leaveRing() {
        if (scribbleAt != 0) {
            Sge.set(ring.page(), ring.offset() + scribbleAt, 0xdead_beefL, 0, 0);
        }
        ring.advance();
    }

    void reset() {
        ring.reset();
        head = 0;
        tail = 0;
    }

    /** Lets go of the ring: nobody takes a request out of it any more. */
    void release() {
        ring.release();
        backlog = null;
    }

    @Override
    public String toString() {
        return ring + (backlog == null ? "" : " backlog " + (tail - head));
    }
}
