/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * QUERY_PKEY, {@code struct pvrdma_cmd_query_pkey}.
 */
public final class QueryPkeyRequest extends CommandRequest<QueryPkeyRequest> {
    private static final Fields<QueryPkeyRequest> F = fields("pvrdma_cmd_query_pkey");

    /** The port, counted from 1. */
    public static final IntField<QueryPkeyRequest> PORT_NUM = F.u8("port_num");
    /** The index in its partition table. */
    public static final IntField<QueryPkeyRequest> INDEX = F.u8("index");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(6).build();

    /** Creates a view that looks at nothing yet. */
    public QueryPkeyRequest() {
        super(LAYOUT);
    }
}
