/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * RESIZE_CQ, {@code struct pvrdma_cmd_resize_cq}. It has no field for new memory, and nobody is known to use it.
 */
public final class ResizeCqRequest extends CommandRequest<ResizeCqRequest> {
    private static final Fields<ResizeCqRequest> F = fields("pvrdma_cmd_resize_cq");

    /** The CQ's handle. */
    public static final IntField<ResizeCqRequest> CQ_HANDLE = F.u32("cq_handle");
    /** The CQEs wanted. */
    public static final IntField<ResizeCqRequest> CQE = F.u32("cqe");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public ResizeCqRequest() {
        super(LAYOUT);
    }
}
