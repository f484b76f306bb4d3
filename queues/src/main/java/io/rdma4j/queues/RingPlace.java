/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.pvrdma.RingState;
import org.agrona.concurrent.UnsafeBuffer;

/** Where a ring of the user side lies in its memory. */
record RingPlace(UnsafeBuffer buffer, int stateOffset, int elementsOffset, int count) {
    private static final int STATE_LENGTH = RingState.CONS_HEAD_OFFSET + Integer.BYTES;

    /** With a buffer of its own, which keeps the memory: whoever wraps theirs around something else changes nothing. */
    RingPlace {
        buffer = new UnsafeBuffer(buffer, 0, buffer.capacity());
    }

    /** Refuses a place whose elements, indices or arithmetic would leave the buffer. */
    void requireFits(final int stride) {
        final long end = elementsOffset + (long) count * stride;
        if (buffer.byteArray() != null) {
            throw refused("a ring must be outside of the heap", stride);
        }
        if (count < 1 || Integer.bitCount(count) != 1 || count > 1 << 30) {
            throw refused("count must be a power of two", stride);
        }
        if (stateOffset < 0 || stateOffset > buffer.capacity() - STATE_LENGTH) {
            throw refused("ring state outside of the buffer", stride);
        }
        if (elementsOffset < 0 || end > buffer.capacity()) {
            throw refused("elements outside of the buffer", stride);
        }
        if (stateOffset + STATE_LENGTH > elementsOffset && stateOffset < end) {
            throw refused("ring state among the elements", stride);
        }
        if (((buffer.addressOffset() + stateOffset) & 3) != 0 || ((buffer.addressOffset() + elementsOffset) & 7) != 0) {
            throw refused("ring state must be aligned to 4, elements to 8", stride);
        }
    }

    /** Address of an index. */
    long state(final int offset) {
        return buffer.addressOffset() + stateOffset + offset;
    }

    private IllegalArgumentException refused(final String rule, final int stride) {
        return new IllegalArgumentException(rule + ": count " + count + ", stride " + stride
            + ", state at " + stateOffset + ", elements at " + elementsOffset
            + ", buffer of " + buffer.capacity() + " bytes at 0x" + Long.toHexString(buffer.addressOffset()));
    }
}
