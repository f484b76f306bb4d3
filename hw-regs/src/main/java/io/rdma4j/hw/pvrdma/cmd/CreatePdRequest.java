/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * CREATE_PD, {@code struct pvrdma_cmd_create_pd}. The answer is a {@link HandleResponse}.
 */
public final class CreatePdRequest extends CommandRequest<CreatePdRequest> {
    private static final Fields<CreatePdRequest> F = fields("pvrdma_cmd_create_pd");

    /** The user context; 0 is the driver's own. */
    public static final IntField<CreatePdRequest> CTX_HANDLE = F.u32("ctx_handle");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public CreatePdRequest() {
        super(LAYOUT);
    }
}
