/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * Answer to CREATE_CQ, {@code struct pvrdma_cmd_create_cq_resp}.
 */
public final class CreateCqResponse extends CommandResponse<CreateCqResponse> {
    private static final Fields<CreateCqResponse> F = fields("pvrdma_cmd_create_cq_resp");

    /** The CQ's handle. */
    public static final IntField<CreateCqResponse> CQ_HANDLE = F.u32("cq_handle");
    /** The CQEs of the ring. */
    public static final IntField<CreateCqResponse> CQE = F.u32("cqe");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public CreateCqResponse() {
        super(LAYOUT);
    }
}
