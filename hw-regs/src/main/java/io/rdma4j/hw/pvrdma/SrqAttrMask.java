/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * Which attributes MODIFY_SRQ sets, {@code enum pvrdma_srq_attr_mask}.
 */
public final class SrqAttrMask {
    /** max_wr. */
    public static final int PVRDMA_SRQ_MAX_WR = 1 << 0;
    /** srq_limit. */
    public static final int PVRDMA_SRQ_LIMIT = 1 << 1;

    /** The names of the bits, without their C prefix. */
    public static final Names NAMES = Names.ofBits("MAX_WR", "LIMIT");

    private SrqAttrMask() {
    }
}
