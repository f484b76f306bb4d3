/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Fields.LongField;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.MrFlags;

/**
 * CREATE_MR, {@code struct pvrdma_cmd_create_mr}.
 */
public final class CreateMrRequest extends CommandRequest<CreateMrRequest> {
    private static final Fields<CreateMrRequest> F = fields("pvrdma_cmd_create_mr");

    /** The address of the first byte, as SGEs will name it; its low 12 bits are the offset in the first page. */
    public static final LongField<CreateMrRequest> START = F.u64("start");
    /** The bytes of the region, unsigned. */
    public static final LongField<CreateMrRequest> LENGTH = F.u64("length");
    /** The bus address of the page directory. */
    public static final LongField<CreateMrRequest> PDIR_DMA = F.u64("pdir_dma");
    /** The protection domain's handle. */
    public static final IntField<CreateMrRequest> PD_HANDLE = F.u32("pd_handle");
    /** The {@link io.rdma4j.hw.pvrdma.AccessFlags}. */
    public static final IntField<CreateMrRequest> ACCESS_FLAGS = F.u32("access_flags", AccessFlags.NAMES);
    /** The {@link io.rdma4j.hw.pvrdma.MrFlags}, 0 for memory given by its pages. */
    public static final IntField<CreateMrRequest> FLAGS = F.u32("flags", MrFlags.NAMES);
    /** The pages spanned. */
    public static final IntField<CreateMrRequest> NCHUNKS = F.u32("nchunks");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public CreateMrRequest() {
        super(LAYOUT);
    }
}
