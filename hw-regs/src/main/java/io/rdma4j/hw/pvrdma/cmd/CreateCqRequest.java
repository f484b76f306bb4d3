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
 * CREATE_CQ, {@code struct pvrdma_cmd_create_cq}.
 */
public final class CreateCqRequest extends CommandRequest<CreateCqRequest> {
    private static final Fields<CreateCqRequest> F = fields("pvrdma_cmd_create_cq");

    /** The bus address of the page directory. */
    public static final LongField<CreateCqRequest> PDIR_DMA = F.u64("pdir_dma");
    /** The user context; 0 is the driver's own. */
    public static final IntField<CreateCqRequest> CTX_HANDLE = F.u32("ctx_handle");
    /** The CQEs of the ring, a power of two. */
    public static final IntField<CreateCqRequest> CQE = F.u32("cqe");
    /** The pages of the ring, state page included. */
    public static final IntField<CreateCqRequest> NCHUNKS = F.u32("nchunks");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public CreateCqRequest() {
        super(LAYOUT);
    }
}
