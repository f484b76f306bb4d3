/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.QpAttrMask;

/**
 * QUERY_QP, {@code struct pvrdma_cmd_query_qp}.
 */
public final class QueryQpRequest extends CommandRequest<QueryQpRequest> {
    private static final Fields<QueryQpRequest> F = fields("pvrdma_cmd_query_qp");

    /** The QP's handle. */
    public static final IntField<QueryQpRequest> QP_HANDLE = F.u32("qp_handle");
    /** The {@link io.rdma4j.hw.pvrdma.QpAttrMask}: which attributes to tell. */
    public static final IntField<QueryQpRequest> ATTR_MASK = F.u32("attr_mask", QpAttrMask.NAMES);
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public QueryQpRequest() {
        super(LAYOUT);
    }
}
