/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * Answer to QUERY_QP, {@code struct pvrdma_cmd_query_qp_resp}: the longest response.
 */
public final class QueryQpResponse extends CommandResponse<QueryQpResponse> {
    /** Offset of {@code attrs}. */
    public static final int QP_ATTR_OFFSET = ResponseHeader.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = QP_ATTR_OFFSET + QpAttr.LENGTH;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_query_qp_resp", LENGTH)
        .nested("hdr", 0, ResponseHeader.LAYOUT)
        .nested("attrs", QP_ATTR_OFFSET, QpAttr.LAYOUT)
        .build();

    /** Creates a view that looks at nothing yet. */
    public QueryQpResponse() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the attributes: a view of its own} */
    public QpAttr qpAttr() {
        return new QpAttr().wrap(buffer(), offset() + QP_ATTR_OFFSET);
    }
}
