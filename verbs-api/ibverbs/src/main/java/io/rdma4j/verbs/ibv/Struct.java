/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.ref.Reference;

/** Memory that the library reads and writes. */
final class Struct {
    private Struct() {
    }

    /** Zeroed memory that belongs to the buffer. */
    static UnsafeBuffer allocate(final int length) {
        return new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, BitUtil.CACHE_LINE_LENGTH));
    }

    /**
     * To be called behind a call of the library that was given the address, unless the memory is read then anyway: it
     * is not collected before.
     */
    static void keep(final UnsafeBuffer memory) {
        Reference.reachabilityFence(memory);
    }

    /** Text that ends with a zero byte or with the array. */
    static String text(final long address, final int length) {
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            final byte next = UnsafeApi.getByte(address + i);
            if (next == 0) {
                break;
            }
            text.append((char) (next & 0x7f));
        }
        return text.toString();
    }
}
