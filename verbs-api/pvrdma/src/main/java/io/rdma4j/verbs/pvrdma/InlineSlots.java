/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Memory for payloads that are copied when they are posted: one place for each slot of the send queue, which is thereby
 * free exactly when the slot is. The device has no inline data; to it this is memory as any other.
 */
final class InlineSlots {
    /** Of a queue without. */
    static final InlineSlots NONE = new InlineSlots(new UnsafeBuffer(new byte[0]), 0, 0);

    private final UnsafeBuffer bytes;
    private final int shift;
    /** Below every length if there is no memory. */
    private final int longest;
    private final int lkey;

    /**
     * Uses memory.
     *
     * @param bytes  all places, one after the other.
     * @param length of each, a power of two; 0 for none.
     * @param lkey   of the region that holds them.
     */
    InlineSlots(final UnsafeBuffer bytes, final int length, final int lkey) {
        this.bytes = bytes;
        this.shift = Integer.numberOfTrailingZeros(length);
        this.longest = length == 0 ? -1 : length;
        this.lkey = lkey;
    }

    /** Longest payload. */
    int length() {
        return Math.max(0, longest);
    }

    int lkey() {
        return lkey;
    }

    UnsafeBuffer bytes() {
        return bytes;
    }

    /** Where a payload begins in {@link #bytes()}. */
    int offset(final int slot) {
        return slot << shift;
    }

    /** Whether a payload exists and fits. */
    boolean accepts(final DirectBuffer source, final int offset, final int length) {
        return source != null && length >= 0 && length <= longest && offset >= 0
            && offset <= source.capacity() - length;
    }

    /**
     * Copies a payload and names it in the WQE. Always with an element, also if there is nothing in it: some devices
     * refuse a request without.
     *
     * @return false if the source's pages are gone.
     */
    boolean write(final UnsafeBuffer wqes, final int wqe, final int slot, final DirectBuffer source, final int offset,
        final int length) {
        final int at = offset(slot);
        Sge.set(wqes, wqe + SqWqe.SGE_OFFSET, bytes.addressOffset() + at, length, lkey);
        return Payloads.copy(source, offset, length, bytes, at);
    }
}
