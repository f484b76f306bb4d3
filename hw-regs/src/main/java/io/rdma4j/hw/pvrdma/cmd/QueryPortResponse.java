/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * Answer to QUERY_PORT, {@code struct pvrdma_cmd_query_port_resp}.
 */
public final class QueryPortResponse extends CommandResponse<QueryPortResponse> {
    /** Offset of {@code attrs}. */
    public static final int PORT_ATTR_OFFSET = ResponseHeader.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = PORT_ATTR_OFFSET + PortAttr.LENGTH;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_query_port_resp", LENGTH)
        .nested("hdr", 0, ResponseHeader.LAYOUT)
        .nested("attrs", PORT_ATTR_OFFSET, PortAttr.LAYOUT)
        .build();

    /** Creates a view that looks at nothing yet. */
    public QueryPortResponse() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the port: a view of its own} */
    public PortAttr portAttr() {
        return new PortAttr().wrap(buffer(), offset() + PORT_ATTR_OFFSET);
    }
}
