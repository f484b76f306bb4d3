/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.roce;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * RDMA extended transport header: the remote memory of a WRITE or READ.
 *
 * <pre>
 *    0                               8               12              16
 *   +-------------------------------+---------------+---------------+
 *   |        virtual address        |     R_Key     |  DMA length   |
 *   +-------------------------------+---------------+---------------+
 * </pre>
 */
public final class Reth {
    /** Bytes of the header. */
    public static final int LENGTH = 16;
    private static final int RKEY_OFFSET = 8;
    private static final int LENGTH_OFFSET = 12;

    private Reth() {
    }

    /**
     * Writes a whole header.
     *
     * @param b       buffer
     * @param base    where the header begins
     * @param address of the remote memory
     * @param rkey    its key
     * @param length  bytes of the whole message, unsigned
     */
    public static void put(UnsafeBuffer b, int base, long address, int rkey, int length) {
        b.putLong(base, address, BIG_ENDIAN);
        b.putInt(base + RKEY_OFFSET, rkey, BIG_ENDIAN);
        b.putInt(base + LENGTH_OFFSET, length, BIG_ENDIAN);
    }

    /**
     * {@return the address of the remote memory}
     *
     * @param b    buffer
     * @param base where the header begins
     */
    public static long address(UnsafeBuffer b, int base) {
        return b.getLong(base, BIG_ENDIAN);
    }

    /**
     * {@return the key of the remote memory}
     *
     * @param b    buffer
     * @param base where the header begins
     */
    public static int rkey(UnsafeBuffer b, int base) {
        return b.getInt(base + RKEY_OFFSET, BIG_ENDIAN);
    }

    /**
     * {@return the bytes of the whole message}
     *
     * @param b    buffer
     * @param base where the header begins
     */
    public static long length(UnsafeBuffer b, int base) {
        return Integer.toUnsignedLong(b.getInt(base + LENGTH_OFFSET, BIG_ENDIAN));
    }
}
