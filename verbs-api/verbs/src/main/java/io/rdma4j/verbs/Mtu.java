/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** Path MTU, in the order of {@code enum ibv_mtu} (which begins at 1). */
public enum Mtu {
    /** 256 bytes. */
    MTU_256,
    /** 512 bytes. */
    MTU_512,
    /** 1024 bytes. */
    MTU_1024,
    /** 2048 bytes. */
    MTU_2048,
    /** 4096 bytes. */
    MTU_4096;

    /**
     * The number on the wire.
     *
     * @return 1 to 5.
     */
    public int code() {
        return ordinal() + 1;
    }

    /**
     * The size.
     *
     * @return bytes of payload in a packet.
     */
    public int bytes() {
        return 256 << ordinal();
    }

    /**
     * From the number on the wire.
     *
     * @param code 1 to 5.
     * @return the MTU.
     * @throws IllegalArgumentException for any other number.
     */
    public static Mtu of(final int code) {
        if (code < 1 || code > 5) {
            throw new IllegalArgumentException("MTU code is 1 to 5: " + code);
        }
        return values()[code - 1];
    }
}
