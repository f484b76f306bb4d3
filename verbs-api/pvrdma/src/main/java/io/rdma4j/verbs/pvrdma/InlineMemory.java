/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.base.Undo;
import io.rdma4j.driver.dma.DmaPages;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.verbs.pvrdma.device.MemoryRegistration;

import java.util.function.BooleanSupplier;

/** The memory of a QP's {@link InlineSlots}, registered in the QP's domain for the device to read. */
final class InlineMemory {
    /** Of a QP without. */
    static final InlineMemory NONE = new InlineMemory(null, null, null, InlineSlots.NONE);
    /** No two slots share a cache line: the device reads one while the other is written. */
    private static final int LEAST = 64;
    private static final int LOCAL_READ = 0;

    private final ClosedRings closedRings;
    private final DmaPages pages;
    private final MemoryRegistration registration;
    private final InlineSlots slots;

    private InlineMemory(final ClosedRings closedRings, final DmaPages pages, final MemoryRegistration registration,
        final InlineSlots slots) {
        this.closedRings = closedRings;
        this.pages = pages;
        this.registration = registration;
        this.slots = slots;
    }

    /** Bytes of a slot in which a payload has room: a power of two, or 0. */
    static int slotLength(final int payload) {
        return payload == 0 ? 0 : Math.max(LEAST, Integer.highestOneBit(2 * payload - 1));
    }

    static InlineMemory allocate(final PvrdmaPd pd, final int slots, final int slotLength) {
        if (slotLength == 0) {
            return NONE;
        }
        final PvrdmaContext context = pd.context;
        context.closedRings.clearOld();
        try (Undo undo = new Undo()) {
            final long length = (long) slots * slotLength;
            final DmaPages memory =
                context.device.arena().allocate((int) ((length + DmaDomain.PAGE_SIZE - 1) / DmaDomain.PAGE_SIZE));
            undo.add(memory::close);
            final MemoryRegistration registered =
                context.device.register(pd.handle, memory.address(), memory.length(), LOCAL_READ, null);
            undo.forget();
            return new InlineMemory(context.closedRings, memory, registered,
                new InlineSlots(memory.buffer(), slotLength, registered.lkey()));
        }
    }

    InlineSlots slots() {
        return slots;
    }

    /** The QP is gone: takes the region from the device. */
    void deregister() {
        if (registration != null) {
            registration.close();
        }
    }

    /**
     * The device gave it up.
     *
     * @param inUse whether a thread that posts may still write here: it found the queue open before it closed.
     */
    void close(final BooleanSupplier inUse) {
        if (pages != null) {
            closedRings.bury(pages, inUse);
        }
    }

    @Override
    public String toString() {
        return pages == null ? "none" : pages.length() + " bytes lkey=0x" + Integer.toHexString(slots.lkey());
    }
}
