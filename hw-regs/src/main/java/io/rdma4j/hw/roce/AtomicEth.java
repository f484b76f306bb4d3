/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.roce;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Atomic extended transport header.
 *
 * <pre>
 *    0               8       12              20              28
 *   +---------------+-------+---------------+---------------+
 *   |virtual address| R_Key |  swap or add  |    compare    |
 *   +---------------+-------+---------------+---------------+
 * </pre>
 */
public final class AtomicEth {
    /** Bytes of the header. */
    public static final int LENGTH = 28;
    private static final int RKEY_OFFSET = 8;
    private static final int SWAP_ADD_OFFSET = 12;
    private static final int COMPARE_OFFSET = 20;

    private AtomicEth() {
    }

    /**
     * Writes a whole header.
     *
     * @param b         buffer
     * @param base      where the header begins
     * @param address   of the remote word
     * @param rkey      its key
     * @param swapOrAdd what to put there, or to add
     * @param compare   what must be there; 0 if something is added
     */
    public static void put(UnsafeBuffer b, int base, long address, int rkey, long swapOrAdd, long compare) {
        b.putLong(base, address, BIG_ENDIAN);
        b.putInt(base + RKEY_OFFSET, rkey, BIG_ENDIAN);
        b.putLong(base + SWAP_ADD_OFFSET, swapOrAdd, BIG_ENDIAN);
        b.putLong(base + COMPARE_OFFSET, compare, BIG_ENDIAN);
    }

    /**
     * {@return the address of the remote word}
     *
     * @param b    buffer
     * @param base where the header begins
     */
    public static long address(UnsafeBuffer b, int base) {
        return b.getLong(base, BIG_ENDIAN);
    }

    /**
     * {@return the key of the remote word}
     *
     * @param b    buffer
     * @param base where the header begins
     */
    public static int rkey(UnsafeBuffer b, int base) {
        return b.getInt(base + RKEY_OFFSET, BIG_ENDIAN);
    }

    /**
     * {@return what to put there, or to add}
     *
     * @param b    buffer
     * @param base where the header begins
     */
    public static long swapOrAdd(UnsafeBuffer b, int base) {
        return b.getLong(base + SWAP_ADD_OFFSET, BIG_ENDIAN);
    }

    /**
     * {@return what must be there}
     *
     * @param b    buffer
     * @param base where the header begins
     */
    public static long compare(UnsafeBuffer b, int base) {
        return b.getLong(base + COMPARE_OFFSET, BIG_ENDIAN);
    }
}
