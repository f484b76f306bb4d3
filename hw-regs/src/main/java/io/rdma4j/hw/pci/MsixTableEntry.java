/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pci;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * One vector in an MSI-X table (PCI Local Bus Specification 3.0, section 6.8.2.6).
 *
 * <pre>
 *   0               4               8               12              16
 *  +---------------+---------------+---------------+---------------+
 *  | address, low  | address, high |     data      | control: bit 0|
 *  |               |               |               | masks         |
 *  +---------------+---------------+---------------+---------------+
 * </pre>
 */
public final class MsixTableEntry {
    /** Low half of the address to write to. */
    public static final int MSG_ADDR_LOW_OFFSET = 0;
    /** High half of the address to write to. */
    public static final int MSG_ADDR_HIGH_OFFSET = 4;
    /** What to write there. */
    public static final int MSG_DATA_OFFSET = 8;
    /** Vector control. */
    public static final int VECTOR_CONTROL_OFFSET = 12;
    /** Bytes of an entry. */
    public static final int LENGTH = 16;

    /** In vector control: the vector is masked. */
    public static final int MASKED = 1;

    /** The entry. */
    public static final Layout LAYOUT = Layout.of("msix_table_entry", LENGTH)
        .u32("msg_addr_low", MSG_ADDR_LOW_OFFSET)
        .u32("msg_addr_high", MSG_ADDR_HIGH_OFFSET)
        .u32("msg_data", MSG_DATA_OFFSET)
        .u32("vector_control", VECTOR_CONTROL_OFFSET)
        .build();

    private MsixTableEntry() {
    }

    /**
     * {@return where the entry of a vector begins, from the beginning of the table}
     *
     * @param vector from 0
     */
    public static int entryOffset(int vector) {
        return vector * LENGTH;
    }

    /**
     * {@return the address to write to}
     *
     * @param b    buffer
     * @param base where the entry begins
     */
    public static long address(DirectBuffer b, int base) {
        return Integer.toUnsignedLong(b.getInt(base + MSG_ADDR_LOW_OFFSET, LITTLE_ENDIAN))
            | (long) b.getInt(base + MSG_ADDR_HIGH_OFFSET, LITTLE_ENDIAN) << 32;
    }

    /**
     * {@return what to write there}
     *
     * @param b    buffer
     * @param base where the entry begins
     */
    public static int data(DirectBuffer b, int base) {
        return b.getInt(base + MSG_DATA_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * {@return whether the vector is masked}
     *
     * @param b    buffer
     * @param base where the entry begins
     */
    public static boolean isMasked(DirectBuffer b, int base) {
        return (b.getInt(base + VECTOR_CONTROL_OFFSET, LITTLE_ENDIAN) & MASKED) != 0;
    }

    /**
     * Writes a whole entry, four bytes at a time as the bus wants it.
     *
     * @param b       buffer
     * @param base    where the entry begins
     * @param address to write to
     * @param data    to write there
     * @param masked  whether the vector is masked
     */
    public static void set(MutableDirectBuffer b, int base, long address, int data, boolean masked) {
        b.putInt(base + MSG_ADDR_LOW_OFFSET, (int) address, LITTLE_ENDIAN);
        b.putInt(base + MSG_ADDR_HIGH_OFFSET, (int) (address >>> 32), LITTLE_ENDIAN);
        b.putInt(base + MSG_DATA_OFFSET, data, LITTLE_ENDIAN);
        b.putInt(base + VECTOR_CONTROL_OFFSET, masked ? MASKED : 0, LITTLE_ENDIAN);
    }
}
