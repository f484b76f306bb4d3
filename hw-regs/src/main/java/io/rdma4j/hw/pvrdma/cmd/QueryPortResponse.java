/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.StructField;
import io.rdma4j.hw.layout.Layout;

/**
 * Answer to QUERY_PORT, {@code struct pvrdma_cmd_query_port_resp}.
 */
public final class QueryPortResponse extends CommandResponse<QueryPortResponse> {
    private static final Fields<QueryPortResponse> F = fields("pvrdma_cmd_query_port_resp");

    /** The port. */
    public static final StructField<QueryPortResponse, PortAttr> ATTRS =
        F.struct("attrs", PortAttr.LAYOUT, PortAttr::new);
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.build();

    /** Creates a view that looks at nothing yet. */
    public QueryPortResponse() {
        super(LAYOUT);
    }
}
