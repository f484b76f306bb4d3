/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.roce;

/** Packet sequence numbers: 24 bits that wrap around. */
public final class Psn {
    /** The bits of a number. */
    public static final int MASK = 0xff_ffff;
    private static final int UNUSED_BITS = 8;

    private Psn() {
    }

    /**
     * {@return the number some packets further on}
     *
     * @param psn   a sequence number
     * @param count packets; negative for packets before it
     */
    public static int add(int psn, int count) {
        return psn + count & MASK;
    }

    /**
     * {@return how far one number is ahead of another, -2^23..2^23-1; negative for one that came before}
     *
     * @param psn  a sequence number
     * @param than another one
     */
    public static int ahead(int psn, int than) {
        return psn - than << UNUSED_BITS >> UNUSED_BITS;
    }
}
