/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.device.common.SpinLock;
import io.rdma4j.device.memory.PageTable;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.queues.CqeProducer;

/** A ring of 32-bit words or pairs of them that the device fills. */
final class EventRing {
    private final int elementLength;
    private final SpinLock lock = new SpinLock();
    private PageTable pages;
    private CqeProducer ring;

    EventRing(int elementLength) {
        this.elementLength = elementLength;
    }

    /** Begins to use a driver's memory; null ends it. */
    void attach(PageTable table) {
        final CqeProducer next = table == null ? null : new CqeProducer(table.buffer(0), RingState.RX_OFFSET,
            table.buffers(1, table.pages() - 1), RingGeometry.eventRingElements(table.pages(), elementLength),
            elementLength);
        lock.lock();
        pages = table;
        ring = next;
        lock.unlock();
    }

    /** Appends an element; the second word only if elements have two. */
    boolean push(int first, int second) {
        lock.lock();
        try {
            final boolean possible = ring != null && pages.isCurrent() && ring.claim();
            if (possible) {
                ring.page().putInt(ring.offset(), first);
                if (elementLength > Integer.BYTES) {
                    ring.page().putInt(ring.offset() + Integer.BYTES, second);
                }
                ring.publish();
            }
            return possible;
        } finally {
            lock.unlock();
        }
    }

    void pass() {
        lock.pass();
    }

    void corruptIndex() {
        lock.lock();
        if (pages != null && pages.isCurrent()) {
            pages.buffer(0).putInt(RingState.RX_PROD_TAIL_OFFSET, 0x7fff_ffff);
        }
        lock.unlock();
    }

    @Override
    public String toString() {
        return pages == null ? "(none)" : pages.isCurrent() ? ring.toString() : "(unmapped)";
    }
}
