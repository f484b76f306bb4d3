/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.LongField;
import io.rdma4j.hw.layout.Layout;

/**
 * RESIZE_CQ_RING: a completion queue moves into another ring. An extension: RESIZE_CQ of the pvrdma interface has no
 * field for memory.
 */
public final class ResizeCqRingRequest extends CommandRequest<ResizeCqRingRequest> {
    private static final Fields<ResizeCqRingRequest> F = fields("rdma4j_cmd_resize_cq_ring");

    /** The bus address of the directory of the new ring, its state page first. */
    public static final LongField<ResizeCqRingRequest> PDIR_DMA = F.u64("pdir_dma");
    /** The CQ's handle. */
    public static final IntField<ResizeCqRingRequest> CQ_HANDLE = F.u32("cq_handle");
    /** The CQEs wanted. */
    public static final IntField<ResizeCqRingRequest> CQE = F.u32("cqe");
    /** The pages of the new ring, the state page included. */
    public static final IntField<ResizeCqRingRequest> NCHUNKS = F.u32("nchunks");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public ResizeCqRingRequest() {
        super(LAYOUT);
    }
}
