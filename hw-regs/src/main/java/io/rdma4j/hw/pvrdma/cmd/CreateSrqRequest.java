/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.LongField;
import io.rdma4j.hw.layout.Fields.StructField;
import io.rdma4j.hw.layout.Layout;

/**
 * CREATE_SRQ, {@code struct pvrdma_cmd_create_srq}. The answer is a {@link HandleResponse}.
 */
public final class CreateSrqRequest extends CommandRequest<CreateSrqRequest> {
    private static final Fields<CreateSrqRequest> F = fields("pvrdma_cmd_create_srq");

    /** The bus address of the page directory. */
    public static final LongField<CreateSrqRequest> PDIR_DMA = F.u64("pdir_dma");
    /** The protection domain's handle. */
    public static final IntField<CreateSrqRequest> PD_HANDLE = F.u32("pd_handle");
    /** The pages of the ring, state page included. */
    public static final IntField<CreateSrqRequest> NCHUNKS = F.u32("nchunks");
    /** The sizes. */
    public static final StructField<CreateSrqRequest, SrqAttr> ATTRS = F.struct("attrs", SrqAttr.LAYOUT, SrqAttr::new);
    /** The kind: 0, the basic one. */
    public static final IntField<CreateSrqRequest> SRQ_TYPE = F.u8("srq_type");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(7).build();

    /** Creates a view that looks at nothing yet. */
    public CreateSrqRequest() {
        super(LAYOUT);
    }
}
