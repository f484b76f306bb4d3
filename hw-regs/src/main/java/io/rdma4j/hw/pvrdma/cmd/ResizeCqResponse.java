/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * Answer to RESIZE_CQ, {@code struct pvrdma_cmd_resize_cq_resp}.
 */
public final class ResizeCqResponse extends CommandResponse<ResizeCqResponse> {
    private static final Fields<ResizeCqResponse> F = fields("pvrdma_cmd_resize_cq_resp");

    /** The CQEs of the ring. */
    public static final IntField<ResizeCqResponse> CQE = F.u32("cqe");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public ResizeCqResponse() {
        super(LAYOUT);
    }
}
