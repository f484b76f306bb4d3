/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.verbs.SgeList;

/** How long messages can be: 2 GiB (InfiniBand specification), one byte more than an int can tell. */
public final class MessageLength {
    private static final int LONGEST = 1 << 31;

    private MessageLength() {
    }

    /**
     * Whether a message has the room that it claims to have needed.
     *
     * @param bytes as a device tells, unsigned.
     * @param room  of the receive, as {@link SgeList#totalLength} tells it: the largest int stands for all room from
     *              there on, into which the longest message fits.
     * @return whether it fits.
     */
    public static boolean fits(final int bytes, final int room) {
        return Integer.compareUnsigned(bytes, room == Integer.MAX_VALUE ? LONGEST : room) <= 0;
    }

    /**
     * Whether elements are longer together than the longest message.
     *
     * @param sges  elements.
     * @param count how many of them, from the first on.
     * @return whether they are too long.
     */
    public static boolean isExceeded(final SgeList sges, final int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += sges.length(i);
        }
        return sum > Integer.toUnsignedLong(LONGEST);
    }
}
