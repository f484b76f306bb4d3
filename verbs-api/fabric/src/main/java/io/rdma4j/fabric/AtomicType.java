/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Types of what atomics work on (enum fi_datatype), in the byte order of this machine. */
public enum AtomicType {
    /** 8 bits with a sign. */
    INT8(1, true, false),
    /** 8 bits. */
    UINT8(1, false, false),
    /** 16 bits with a sign. */
    INT16(2, true, false),
    /** 16 bits. */
    UINT16(2, false, false),
    /** 32 bits with a sign. */
    INT32(4, true, false),
    /** 32 bits. */
    UINT32(4, false, false),
    /** 64 bits with a sign. */
    INT64(8, true, false),
    /** 64 bits. */
    UINT64(8, false, false),
    /** 32 bits as IEEE 754 has them. */
    FLOAT(4, true, true),
    /** 64 bits as IEEE 754 has them. */
    DOUBLE(8, true, true);

    private final int size;
    private final boolean isSigned;
    private final boolean isReal;

    AtomicType(final int size, final boolean isSigned, final boolean isReal) {
        this.size = size;
        this.isSigned = isSigned;
        this.isReal = isReal;
    }

    /**
     * The value in libfabric's headers.
     *
     * @return its number.
     */
    public int value() {
        return ordinal();
    }

    /**
     * How long one is.
     *
     * @return bytes: 1, 2, 4 or 8.
     */
    public int size() {
        return size;
    }

    /**
     * Whether it has a sign.
     *
     * @return true for floating-point numbers, too.
     */
    public boolean isSigned() {
        return isSigned;
    }

    /**
     * Whether it is a floating-point number.
     *
     * @return true for FLOAT and DOUBLE.
     */
    public boolean isReal() {
        return isReal;
    }
}
