/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * Answer to RESIZE_CQ_RING.
 */
public final class ResizeCqRingResponse extends CommandResponse<ResizeCqRingResponse> {
    private static final Fields<ResizeCqRingResponse> F = fields("rdma4j_cmd_resize_cq_ring_resp");

    /** The CQEs of the new ring. */
    public static final IntField<ResizeCqRingResponse> CQE = F.u32("cqe");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public ResizeCqRingResponse() {
        super(LAYOUT);
    }
}
