/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * QUERY_PORT, {@code struct pvrdma_cmd_query_port}.
 */
public final class QueryPortRequest extends CommandRequest<QueryPortRequest> {
    private static final Fields<QueryPortRequest> F = fields("pvrdma_cmd_query_port");

    /** The port, counted from 1. */
    public static final IntField<QueryPortRequest> PORT_NUM = F.u8("port_num");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(7).build();

    /** Creates a view that looks at nothing yet. */
    public QueryPortRequest() {
        super(LAYOUT);
    }
}
