/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;

/**
 * Sizes of a shared receive queue, {@code struct pvrdma_srq_attr}.
 */
public final class SrqAttr extends Flyweight<SrqAttr> {
    private static final Fields<SrqAttr> F = Fields.of("pvrdma_srq_attr");

    /** The slots, unsigned. */
    public static final IntField<SrqAttr> MAX_WR = F.u32("max_wr");
    /** The SGEs of a receive, unsigned. */
    public static final IntField<SrqAttr> MAX_SGE = F.u32("max_sge");
    /** The number of receives below which an event is raised; 0 for never. */
    public static final IntField<SrqAttr> SRQ_LIMIT = F.u32("srq_limit");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public SrqAttr() {
        super(LAYOUT);
    }
}
