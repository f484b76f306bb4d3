/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.StructField;
import io.rdma4j.hw.layout.Layout;

/**
 * Answer to QUERY_QP, {@code struct pvrdma_cmd_query_qp_resp}: the longest response.
 */
public final class QueryQpResponse extends CommandResponse<QueryQpResponse> {
    private static final Fields<QueryQpResponse> F = fields("pvrdma_cmd_query_qp_resp");

    /** The attributes. */
    public static final StructField<QueryQpResponse, QpAttr> ATTRS = F.struct("attrs", QpAttr.LAYOUT, QpAttr::new);
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public QueryQpResponse() {
        super(LAYOUT);
    }
}
