/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * What an atomic does (enum fi_op): with each number of the peer, {@code there}, by the operand of the same place,
 * {@code here}, and for some by a third one, {@code compare}.
 */
public enum AtomicOp {
    /** The smaller one of both. */
    MIN(false),
    /** The larger one of both. */
    MAX(false),
    /** there + here; integers wrap around. */
    SUM(false),
    /** there * here; integers wrap around. */
    PROD(false),
    /** 1 if one of both is not 0, else 0. */
    LOR(false),
    /** 1 if both are not 0, else 0. */
    LAND(false),
    /** there | here; not of floating-point numbers. */
    BOR(false),
    /** there &amp; here; not of floating-point numbers. */
    BAND(false),
    /** 1 if one of both is 0 and the other is not, else 0. */
    LXOR(false),
    /** there ^ here; not of floating-point numbers. */
    BXOR(false),
    /** there as it is: only with a result, and without an operand. */
    ATOMIC_READ(false),
    /** here. */
    ATOMIC_WRITE(false),
    /** here if compare == there. */
    CSWAP(true),
    /** here if compare != there. */
    CSWAP_NE(true),
    /** here if compare &lt;= there. */
    CSWAP_LE(true),
    /** here if compare &lt; there. */
    CSWAP_LT(true),
    /** here if compare &gt;= there. */
    CSWAP_GE(true),
    /** here if compare &gt; there. */
    CSWAP_GT(true),
    /** The bits of here that are set in compare, the others of there; not of floating-point numbers. */
    MSWAP(true),
    /** there - here; integers wrap around. */
    DIFF(false);

    private final boolean compares;

    AtomicOp(final boolean compares) {
        this.compares = compares;
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
     * Whether it has a third operand, and always a result (fi_compare_atomic).
     *
     * @return true if so.
     */
    public boolean compares() {
        return compares;
    }

    /**
     * Whether it can be done with a type.
     *
     * @param type of the numbers.
     * @return false for operations on bits of floating-point numbers.
     * @throws FabricException FI_EINVAL for null.
     */
    public boolean takes(final AtomicType type) {
        Arguments.notNull("look at atomics", "type", type);
        return !type.isReal() || this != BOR && this != BAND && this != BXOR && this != MSWAP;
    }
}
