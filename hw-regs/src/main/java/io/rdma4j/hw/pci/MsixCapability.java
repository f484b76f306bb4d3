/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pci;

import io.rdma4j.hw.layout.Layout;

/**
 * The MSI-X capability (PCI Local Bus Specification 3.0, section 6.8.2): how many vectors a function has, and where in
 * its BARs their table and their pending bits are.
 *
 * <pre>
 *       31      30           26     16 15             8 7              0
 *      +-------+--------+---------+---+----------------+---------------+
 *    0 | ENABLE| F_MASK |    0    | table size - 1     | next, id 0x11 |
 *      +-------+--------+---------+--------------------+------+--------+
 *    4 |                 table offset                         |  bir   |
 *      +------------------------------------------------------+--------+
 *    8 |                  pba offset                          |  bir   |
 *      +------------------------------------------------------+--------+
 * </pre>
 */
public final class MsixCapability {
    /** Number of this capability. */
    public static final int CAP_ID = 0x11;

    /** Message control, 16 bits. */
    public static final int CONTROL_OFFSET = 2;
    /** Where the table is. */
    public static final int TABLE_OFFSET = 4;
    /** Where the pending bit array is. */
    public static final int PBA_OFFSET = 8;
    /** Bytes of the capability. */
    public static final int LENGTH = 12;

    /** In control: MSI-X is in use. */
    public static final int ENABLE = 1 << 15;
    /** In control: all vectors are masked. */
    public static final int FUNCTION_MASK = 1 << 14;
    /** In control: the number of vectors, less one. */
    public static final int TABLE_SIZE_MASK = 0x7ff;
    /** In the table and pba words: which BAR. */
    public static final int BIR_MASK = 0x7;
    /** Most vectors that a function can have. */
    public static final int MAX_VECTORS = TABLE_SIZE_MASK + 1;

    /** The capability. */
    public static final Layout LAYOUT = Layout.of("msix_capability", LENGTH)
        .u8("cap_id", PciConfig.CAP_ID_OFFSET)
        .u8("cap_next", PciConfig.CAP_NEXT_OFFSET)
        .u16("control", CONTROL_OFFSET)
        .u32("table", TABLE_OFFSET)
        .u32("pba", PBA_OFFSET)
        .build();

    private MsixCapability() {
    }

    /**
     * {@return the number of vectors}
     *
     * @param control as read
     */
    public static int tableSize(int control) {
        return (control & TABLE_SIZE_MASK) + 1;
    }

    /**
     * {@return the control word of a function that has MSI-X and does not use it}
     *
     * @param vectors 1 to 2048
     * @throws IllegalArgumentException if a function cannot have so many
     */
    public static int control(int vectors) {
        if (vectors < 1 || vectors > MAX_VECTORS) {
            throw new IllegalArgumentException(vectors + " MSI-X vectors: allowed are 1.." + MAX_VECTORS);
        }
        return vectors - 1;
    }

    /**
     * {@return the BAR in a table or pba word}
     *
     * @param word as read
     */
    public static int bir(int word) {
        return word & BIR_MASK;
    }

    /**
     * {@return the offset, in its BAR, in a table or pba word}
     *
     * @param word as read
     */
    public static int offset(int word) {
        return word & ~BIR_MASK;
    }

    /**
     * {@return a table or pba word}
     *
     * @param bir    which BAR
     * @param offset in it, a multiple of 8
     */
    public static int word(int bir, int offset) {
        return offset & ~BIR_MASK | bir & BIR_MASK;
    }

    /**
     * {@return the bytes of the pending bit array: a bit for each vector, in words of 64}
     *
     * @param vectors how many
     */
    public static int pbaLength(int vectors) {
        return (vectors + Long.SIZE - 1) / Long.SIZE * Long.BYTES;
    }
}
