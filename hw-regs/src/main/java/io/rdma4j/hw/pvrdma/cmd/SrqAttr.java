/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;

/**
 * Sizes of a shared receive queue, {@code struct pvrdma_srq_attr}.
 */
public final class SrqAttr extends Flyweight<SrqAttr> {
    /** Offset of {@code max_wr}. */
    public static final int MAX_WR_OFFSET = 0;
    /** Offset of {@code max_sge}. */
    public static final int MAX_SGE_OFFSET = MAX_WR_OFFSET + 4;
    /** Offset of {@code srq_limit}. */
    public static final int SRQ_LIMIT_OFFSET = MAX_SGE_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = SRQ_LIMIT_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_srq_attr", LENGTH)
        .u32("max_wr", MAX_WR_OFFSET)
        .u32("max_sge", MAX_SGE_OFFSET)
        .u32("srq_limit", SRQ_LIMIT_OFFSET)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public SrqAttr() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the slots, unsigned} */
    public int maxWr() {
        return u32(MAX_WR_OFFSET);
    }

    /** {@return this, with {@code max_wr} set}
     * @param value the slots, unsigned */
    public SrqAttr maxWr(int value) {
        return u32(MAX_WR_OFFSET, value);
    }

    /** {@return the SGEs of a receive, unsigned} */
    public int maxSge() {
        return u32(MAX_SGE_OFFSET);
    }

    /** {@return this, with {@code max_sge} set}
     * @param value the SGEs of a receive, unsigned */
    public SrqAttr maxSge(int value) {
        return u32(MAX_SGE_OFFSET, value);
    }

    /** {@return the number of receives below which an event is raised; 0 for never} */
    public int srqLimit() {
        return u32(SRQ_LIMIT_OFFSET);
    }

    /** {@return this, with {@code srq_limit} set}
     * @param value the number of receives below which an event is raised; 0 for never */
    public SrqAttr srqLimit(int value) {
        return u32(SRQ_LIMIT_OFFSET, value);
    }
}
