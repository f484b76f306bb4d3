/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import java.util.Locale;

/**
 * A GID: an IPv6 address, or an IPv4 address mapped into one. Immutable.
 *
 * @param high first half, as a big-endian number
 * @param low  second half
 */
public record Gid(long high, long low) {
    private static final long MAPPED = 0xffffL;

    /**
     * {@return the GID of an IPv4 address}
     *
     * @param address 32 bits
     */
    public static Gid ofIpv4(int address) {
        return new Gid(0, lowOfIpv4(address));
    }

    /** {@return the second half of the GID of an IPv4 address; the first is 0} */
    static long lowOfIpv4(int address) {
        return MAPPED << Integer.SIZE | Integer.toUnsignedLong(address);
    }

    /**
     * {@return whether this is an IPv4 address}
     */
    public boolean isIpv4() {
        return high == 0 && low >>> Integer.SIZE == MAPPED;
    }

    @Override
    public String toString() {
        if (isIpv4()) {
            return String.format(Locale.ROOT, "::ffff:%d.%d.%d.%d",
                low >>> 24 & 0xff, low >>> 16 & 0xff, low >>> 8 & 0xff, low & 0xff);
        }
        return String.format("%04x:%04x:%04x:%04x:%04x:%04x:%04x:%04x", high >>> 48, high >>> 32 & 0xffff,
            high >>> 16 & 0xffff, high & 0xffff, low >>> 48, low >>> 32 & 0xffff, low >>> 16 & 0xffff, low & 0xffff);
    }
}
