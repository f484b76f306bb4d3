/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.layout.Words;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One piece of memory in a work request, {@code struct pvrdma_sge}.
 *
 * <pre>
 *    0                               8               12              16
 *   +-------------------------------+---------------+---------------+
 *   |             addr              |    length     |     lkey      |
 *   +-------------------------------+---------------+---------------+
 * </pre>
 *
 * <p>The device owns it between doorbell and completion, and may even write to it: nothing is read back from a posted
 * one.
 */
public final class Sge {
    /** Offset of {@code addr}. */
    public static final int ADDR_OFFSET = 0;
    /** Offset of {@code length}. */
    public static final int LENGTH_OFFSET = ADDR_OFFSET + 8;
    /** Offset of {@code lkey}. */
    public static final int LKEY_OFFSET = LENGTH_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = LKEY_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_sge", LENGTH)
        .u64("addr", ADDR_OFFSET)
        .u32("length", LENGTH_OFFSET)
        .u32("lkey", LKEY_OFFSET)
        .build();

    private Sge() {
    }

    /**
     * {@return the address of the first byte, in the terms of the key}
     *
     * @param b    buffer
     * @param base where the entry begins
     */
    public static long addr(UnsafeBuffer b, int base) {
        return Words.getLong(b, base, ADDR_OFFSET);
    }

    /**
     * Sets {@code addr}.
     *
     * @param b     buffer
     * @param base  where the entry begins
     * @param value the address of the first byte, in the terms of the key
     */
    public static void addr(UnsafeBuffer b, int base, long value) {
        Words.putLong(b, base, ADDR_OFFSET, value);
    }

    /**
     * {@return the number of bytes, unsigned}
     *
     * @param b    buffer
     * @param base where the entry begins
     */
    public static int length(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, LENGTH_OFFSET);
    }

    /**
     * Sets {@code length}.
     *
     * @param b     buffer
     * @param base  where the entry begins
     * @param value the number of bytes, unsigned
     */
    public static void length(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, LENGTH_OFFSET, value);
    }

    /**
     * {@return the local key}
     *
     * @param b    buffer
     * @param base where the entry begins
     */
    public static int lkey(UnsafeBuffer b, int base) {
        return Words.getInt(b, base, LKEY_OFFSET);
    }

    /**
     * Sets {@code lkey}.
     *
     * @param b     buffer
     * @param base  where the entry begins
     * @param value the local key
     */
    public static void lkey(UnsafeBuffer b, int base, int value) {
        Words.putInt(b, base, LKEY_OFFSET, value);
    }

    /**
     * Writes a whole entry.
     *
     * @param b      buffer
     * @param base   where the entry begins
     * @param addr   address of the first byte
     * @param length bytes, unsigned
     * @param lkey   local key
     */
    public static void set(UnsafeBuffer b, int base, long addr, int length, int lkey) {
        Words.check(b, base, LENGTH);
        final byte[] array = b.byteArray();
        final long sge = b.addressOffset() + base;
        Words.put(array, sge + ADDR_OFFSET, addr);
        Words.put(array, sge + LENGTH_OFFSET, Words.pair(length, lkey));
    }
}
