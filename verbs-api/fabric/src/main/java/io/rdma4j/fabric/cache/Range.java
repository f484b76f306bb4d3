/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.util.Locale;

/**
 * Some memory of this process.
 *
 * @param start first byte, above 0: user space ends below, and no memory is at the null address.
 * @param end   after the last byte.
 */
record Range(long start, long end) {
    private static final long PAGE_MASK = 4095;

    static Range of(final String operation, final long address, final long length) {
        if (address <= 0 || length <= 0 || length > Long.MAX_VALUE - PAGE_MASK - address) {
            throw FabricException.of(operation)
                .detail("address 0x%x, length %d: the range is empty, begins at null, wraps around, or is not of user "
                    + "space", address, length)
                .errno(FiErrno.FI_EINVAL).build();
        }
        return new Range(address, address + length);
    }

    long length() {
        return end - start;
    }

    boolean overlaps(final Range other) {
        return start < other.end && end > other.start;
    }

    /** Neither lies in the other, and they have no end in common. */
    boolean isStaggeredWith(final Range other) {
        return start < other.start && end < other.end || start > other.start && end > other.end;
    }

    Range wholePages() {
        return new Range(start & ~PAGE_MASK, end + PAGE_MASK & ~PAGE_MASK);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "0x%x+%d", start, length());
    }
}
