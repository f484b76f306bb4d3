/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * The shape of all answers that say no more than a handle: to CREATE_PD, CREATE_UC and CREATE_SRQ ({@code struct
 * pvrdma_cmd_create_pd_resp} and so on).
 */
public final class HandleResponse extends CommandResponse<HandleResponse> {
    private static final Fields<HandleResponse> F = fields("pvrdma_cmd_handle_resp");

    /** The new object's handle; 0 is a handle like any other. */
    public static final IntField<HandleResponse> HANDLE = F.u32("handle");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public HandleResponse() {
        super(LAYOUT);
    }
}
