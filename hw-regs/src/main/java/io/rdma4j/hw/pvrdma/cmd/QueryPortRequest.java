/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * QUERY_PORT, {@code struct pvrdma_cmd_query_port}.
 */
public final class QueryPortRequest extends CommandRequest<QueryPortRequest> {
    /** Offset of {@code port_num}. */
    public static final int PORT_NUM_OFFSET = CommandHeader.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = PORT_NUM_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_query_port", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u8("port_num", PORT_NUM_OFFSET)
        .reserved(7)
        .build();

    /** Creates a view that looks at nothing yet. */
    public QueryPortRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the port, counted from 1} */
    public int portNum() {
        return u8(PORT_NUM_OFFSET);
    }

    /** {@return this, with {@code port_num} set}
     * @param value the port, counted from 1 */
    public QueryPortRequest portNum(int value) {
        return u8(PORT_NUM_OFFSET, value);
    }
}
