/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.StructField;
import io.rdma4j.hw.layout.Layout;

/**
 * Answer to QUERY_SRQ, {@code struct pvrdma_cmd_query_srq_resp}.
 */
public final class QuerySrqResponse extends CommandResponse<QuerySrqResponse> {
    private static final Fields<QuerySrqResponse> F = fields("pvrdma_cmd_query_srq_resp");

    /** The attributes. */
    public static final StructField<QuerySrqResponse, SrqAttr> ATTRS = F.struct("attrs", SrqAttr.LAYOUT, SrqAttr::new);
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public QuerySrqResponse() {
        super(LAYOUT);
    }
}
