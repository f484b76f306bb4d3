/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * Kinds of memory regions other than the usual one, {@code PVRDMA_MR_FLAG_*}.
 */
public final class MrFlags {
    /** All memory, by bus address. */
    public static final int PVRDMA_MR_FLAG_DMA = 1 << 0;
    /** Filled later by a fast registration work request. */
    public static final int PVRDMA_MR_FLAG_FRMR = 1 << 1;

    /** The names of the bits, without their C prefix. */
    public static final Names NAMES = Names.ofBits("DMA", "FRMR");

    private MrFlags() {
    }
}
