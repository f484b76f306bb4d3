/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.datagram;

import java.nio.ByteOrder;

import org.agrona.DirectBuffer;

/**
 * Who sent a datagram, by the 40 bytes in front of it: an IPv6 header, which a global route header is, too; or 20 bytes
 * that mean nothing and an IPv4 header (RoCE v2 over IPv4; InfiniBand specification, annex A17). For one thread.
 */
final class RouteHeader {
    /** Bytes of the header. */
    static final int LENGTH = 40;
    private static final int IPV6_SOURCE = 8;
    private static final int IPV4 = 20;
    private static final int IPV4_SOURCE = IPV4 + 12;
    private static final long IPV4_MAPPED = 0xffff_0000_0000L;
    private static final long LOW_32_BITS = 0xffff_ffffL;

    private long high;
    private long low;

    void read(final DirectBuffer buffer, final int offset) {
        if (version(buffer, offset) == 6) {
            high = buffer.getLong(offset + IPV6_SOURCE, ByteOrder.BIG_ENDIAN);
            low = buffer.getLong(offset + IPV6_SOURCE + Long.BYTES, ByteOrder.BIG_ENDIAN);
        } else {
            high = 0;
            low = version(buffer, offset + IPV4) == 4
                ? IPV4_MAPPED | buffer.getInt(offset + IPV4_SOURCE, ByteOrder.BIG_ENDIAN) & LOW_32_BITS : 0;
        }
    }

    private static int version(final DirectBuffer buffer, final int offset) {
        return (buffer.getByte(offset) & 0xff) >>> 4;
    }

    /** First half of the sender's GID; 0 if the header does not tell. */
    long high() {
        return high;
    }

    /** Second half of the sender's GID; 0 if the header does not tell. */
    long low() {
        return low;
    }
}
