/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * QUERY_PKEY, {@code struct pvrdma_cmd_query_pkey}.
 */
public final class QueryPkeyRequest extends CommandRequest<QueryPkeyRequest> {
    /** Offset of {@code port_num}. */
    public static final int PORT_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code index}. */
    public static final int INDEX_OFFSET = PORT_OFFSET + 1;
    /** Bytes of the struct. */
    public static final int LENGTH = INDEX_OFFSET + 7;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_query_pkey", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u8("port_num", PORT_OFFSET)
        .u8("index", INDEX_OFFSET)
        .reserved(6)
        .build();

    /** Creates a view that looks at nothing yet. */
    public QueryPkeyRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the port, counted from 1} */
    public int port() {
        return u8(PORT_OFFSET);
    }

    /** {@return this, with {@code port_num} set}
     * @param value the port, counted from 1 */
    public QueryPkeyRequest port(int value) {
        return u8(PORT_OFFSET, value);
    }

    /** {@return the index in its partition table} */
    public int index() {
        return u8(INDEX_OFFSET);
    }

    /** {@return this, with {@code index} set}
     * @param value the index in its partition table */
    public QueryPkeyRequest index(int value) {
        return u8(INDEX_OFFSET, value);
    }
}
