/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

/**
 * Kinds of memory regions other than the usual one, {@code PVRDMA_MR_FLAG_*}.
 */
public final class MrFlags {
    /** All memory, by bus address. */
    public static final int PVRDMA_MR_FLAG_DMA = 1 << 0;
    /** Filled later by a fast registration work request. */
    public static final int PVRDMA_MR_FLAG_FRMR = 1 << 1;

    private MrFlags() {
    }

    /**
     * Names the bits of a mask.
     *
     * @param mask any value
     * @return the names without their C prefix, joined by a bar; bits without a name in hexadecimal; 0 for no bit
     */
    public static String name(int mask) {
        return BitNames.of(mask, "DMA", "FRMR");
    }
}
