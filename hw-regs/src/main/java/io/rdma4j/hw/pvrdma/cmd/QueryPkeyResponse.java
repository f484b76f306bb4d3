/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * Answer to QUERY_PKEY, {@code struct pvrdma_cmd_query_pkey_resp}.
 */
public final class QueryPkeyResponse extends CommandResponse<QueryPkeyResponse> {
    /** Offset of {@code pkey}. */
    public static final int PKEY_OFFSET = ResponseHeader.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = PKEY_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_query_pkey_resp", LENGTH)
        .nested("hdr", 0, ResponseHeader.LAYOUT)
        .u16("pkey", PKEY_OFFSET)
        .reserved(6)
        .build();

    /** Creates a view that looks at nothing yet. */
    public QueryPkeyResponse() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the partition key} */
    public int pkey() {
        return u16(PKEY_OFFSET);
    }

    /** {@return this, with {@code pkey} set}
     * @param value the partition key */
    public QueryPkeyResponse pkey(int value) {
        return u16(PKEY_OFFSET, value);
    }
}
