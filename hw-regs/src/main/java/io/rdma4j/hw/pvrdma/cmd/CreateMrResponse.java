/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * Answer to CREATE_MR, {@code struct pvrdma_cmd_create_mr_resp}.
 */
public final class CreateMrResponse extends CommandResponse<CreateMrResponse> {
    private static final Fields<CreateMrResponse> F = fields("pvrdma_cmd_create_mr_resp");

    /** The region's handle. */
    public static final IntField<CreateMrResponse> MR_HANDLE = F.u32("mr_handle");
    /** The key for local SGEs. */
    public static final IntField<CreateMrResponse> LKEY = F.u32("lkey");
    /** The key for peers. */
    public static final IntField<CreateMrResponse> RKEY = F.u32("rkey");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public CreateMrResponse() {
        super(LAYOUT);
    }
}
