/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import java.nio.ByteOrder;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The 40 bytes in front of each datagram. Either they are an IPv6 header (a global route header, or RoCE v2 over IPv6),
 * or the last 20 are an IPv4 header (RoCE v2 over IPv4; the others mean nothing then). For one thread.
 */
final class GlobalHeader {
    /** Bytes in front of a datagram. */
    static final int LENGTH = 40;
    private static final int IPV6_SOURCE = 8;
    private static final int IPV4 = 20;
    private static final int IPV4_SOURCE = IPV4 + 12;
    private static final long IPV4_MAPPED = 0xffff_0000_0000L;

    private long high;
    private long low;

    /** Reads who sent it: all 0 if it does not say. */
    void read(final UnsafeBuffer buffer, final int offset) {
        high = 0;
        low = 0;
        if (version(buffer, offset) == 6) {
            high = buffer.getLong(offset + IPV6_SOURCE, ByteOrder.BIG_ENDIAN);
            low = buffer.getLong(offset + IPV6_SOURCE + Long.BYTES, ByteOrder.BIG_ENDIAN);
        } else if (version(buffer, offset + IPV4) == 4) {
            low = IPV4_MAPPED | buffer.getInt(offset + IPV4_SOURCE, ByteOrder.BIG_ENDIAN) & 0xffff_ffffL;
        }
    }

    private static int version(final UnsafeBuffer buffer, final int offset) {
        return (buffer.getByte(offset) & 0xff) >>> 4;
    }

    /** Before the place is used again: what the next header leaves out shall not be taken for its own. */
    static void clear(final UnsafeBuffer buffer, final int offset) {
        buffer.setMemory(offset, LENGTH, (byte) 0);
    }

    long high() {
        return high;
    }

    long low() {
        return low;
    }
}
