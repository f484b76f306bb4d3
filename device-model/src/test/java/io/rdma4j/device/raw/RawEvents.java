/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

import io.rdma4j.hw.pvrdma.Eqe;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RingState;

import org.agrona.concurrent.UnsafeBuffer;

/** Both event rings, read as raw memory. */
public final class RawEvents {
    private final RawDriver driver;
    private int asyncHead;
    private int notificationHead;

    /** What an EQE said. */
    public record Event(int type, int info) {
        @Override
        public String toString() {
            return EventType.NAMES.of(type) + " 0x" + Integer.toHexString(info);
        }
    }

    public RawEvents(RawDriver driver) {
        this.driver = driver;
    }

    /** The next asynchronous event, or null. */
    public Event poll() {
        final RawRing ring = driver.async;
        if (ring.state().getIntAcquire(RingState.RX_PROD_TAIL_OFFSET) == asyncHead) {
            return null;
        }
        final int n = (ring.pages() - 1) * Pdir.PAGE_SIZE / 8;
        final int slot = RingIndex.slot(asyncHead, n);
        final UnsafeBuffer page = ring.page(1, slot, 8);
        final int at = RawRing.offset(slot, 8);
        asyncHead = RingIndex.next(asyncHead, n);
        ring.state().putIntRelease(RingState.RX_CONS_HEAD_OFFSET, asyncHead);
        return new Event(Eqe.type(page, at), Eqe.info(page, at));
    }

    /** The next handle of a CQ that has something, or -1. */
    public int pollNotification() {
        final RawRing ring = driver.notifications;
        if (ring.state().getIntAcquire(RingState.RX_PROD_TAIL_OFFSET) == notificationHead) {
            return -1;
        }
        final int n = (ring.pages() - 1) * Pdir.PAGE_SIZE / 4;
        final int slot = RingIndex.slot(notificationHead, n);
        final int handle = ring.page(1, slot, 4).getInt(RawRing.offset(slot, 4));
        notificationHead = RingIndex.next(notificationHead, n);
        ring.state().putIntRelease(RingState.RX_CONS_HEAD_OFFSET, notificationHead);
        return handle;
    }
}
