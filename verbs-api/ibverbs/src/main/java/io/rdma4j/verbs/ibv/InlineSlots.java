/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.driver.memory.Payloads;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Where small payloads are copied to, a place for each request of a send queue. A device with inline data takes them
 * from there while it is posted to; of another one this is registered memory that it reads later (docs/adr/0016).
 */
final class InlineSlots {
    static final InlineSlots NONE = new InlineSlots(null, 0, null);
    private static final int LEAST = 64;

    private final UnsafeBuffer bytes;
    private final int length;
    private final IbvMr region;

    /**
     * Makes places.
     *
     * @param bytes  of all of them.
     * @param length of each, a power of two; 0 for none.
     * @param region that they are in; null if the device has inline data.
     */
    InlineSlots(final UnsafeBuffer bytes, final int length, final IbvMr region) {
        this.bytes = bytes;
        this.length = length;
        this.region = region;
    }

    /** How long a place is that has room for so many bytes. */
    static int length(final int wished) {
        return wished == 0 ? 0 : Math.max(LEAST, BitUtil.findNextPositivePowerOfTwo(wished));
    }

    int length() {
        return length;
    }

    boolean accepts(final DirectBuffer source, final int offset, final int count) {
        return length > 0 && source != null && count >= 0 && count <= length && offset >= 0
            && offset <= source.capacity() - count;
    }

    /** False if the source's pages are gone. */
    boolean write(final int slot, final DirectBuffer source, final int offset, final int count) {
        return Payloads.copy(source, offset, count, bytes, slot * length);
    }

    long address(final int slot) {
        return bytes.addressOffset() + (long) slot * length;
    }

    int lkey() {
        return region == null ? 0 : region.lkey();
    }

    /** Of requests with a payload. */
    int flag() {
        return region == null ? Opcodes.INLINE : 0;
    }

    void close() {
        if (region != null) {
            region.close();
        }
    }
}
