/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * Answer to QUERY_PKEY, {@code struct pvrdma_cmd_query_pkey_resp}.
 */
public final class QueryPkeyResponse extends CommandResponse<QueryPkeyResponse> {
    private static final Fields<QueryPkeyResponse> F = fields("pvrdma_cmd_query_pkey_resp");

    /** The partition key. */
    public static final IntField<QueryPkeyResponse> PKEY = F.u16("pkey");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(6).build();

    /** Creates a view that looks at nothing yet. */
    public QueryPkeyResponse() {
        super(LAYOUT);
    }
}
