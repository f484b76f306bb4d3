/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * Answer to QUERY_SRQ, {@code struct pvrdma_cmd_query_srq_resp}.
 */
public final class QuerySrqResponse extends CommandResponse<QuerySrqResponse> {
    /** Offset of {@code attrs}. */
    public static final int SRQ_ATTR_OFFSET = ResponseHeader.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = SRQ_ATTR_OFFSET + SrqAttr.LENGTH;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_query_srq_resp", LENGTH)
        .nested("hdr", 0, ResponseHeader.LAYOUT)
        .nested("attrs", SRQ_ATTR_OFFSET, SrqAttr.LAYOUT)
        .build();

    /** Creates a view that looks at nothing yet. */
    public QuerySrqResponse() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the attributes: a view of its own} */
    public SrqAttr srqAttr() {
        return new SrqAttr().wrap(buffer(), offset() + SRQ_ATTR_OFFSET);
    }
}
