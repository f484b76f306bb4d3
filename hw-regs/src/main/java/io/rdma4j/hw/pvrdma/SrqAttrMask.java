/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

/**
 * Which attributes MODIFY_SRQ sets, {@code enum pvrdma_srq_attr_mask}.
 */
public final class SrqAttrMask {
    /** max_wr. */
    public static final int PVRDMA_SRQ_MAX_WR = 1 << 0;
    /** srq_limit. */
    public static final int PVRDMA_SRQ_LIMIT = 1 << 1;

    private SrqAttrMask() {
    }

    /**
     * Names the bits of a mask.
     *
     * @param mask any value
     * @return the names without their C prefix, joined by a bar; bits without a name in hexadecimal; 0 for no bit
     */
    public static String name(int mask) {
        return BitNames.of(mask, "MAX_WR", "LIMIT");
    }
}
