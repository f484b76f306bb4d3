/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * The shape of all requests that say no more than a handle: DESTROY_PD, DESTROY_MR, DESTROY_CQ, DESTROY_QP,
 * DESTROY_UC, DESTROY_SRQ, QUERY_SRQ and DESTROY_MW ({@code struct pvrdma_cmd_destroy_pd} and so on).
 */
public final class HandleRequest extends CommandRequest<HandleRequest> {
    private static final Fields<HandleRequest> F = fields("pvrdma_cmd_handle");

    /** The object's handle. */
    public static final IntField<HandleRequest> HANDLE = F.u32("handle");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public HandleRequest() {
        super(LAYOUT);
    }
}
