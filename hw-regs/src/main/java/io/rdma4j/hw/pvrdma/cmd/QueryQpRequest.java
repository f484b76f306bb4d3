/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.QpAttrMask;

/**
 * QUERY_QP, {@code struct pvrdma_cmd_query_qp}.
 */
public final class QueryQpRequest extends CommandRequest<QueryQpRequest> {
    /** Offset of {@code qp_handle}. */
    public static final int QP_HANDLE_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code attr_mask}. */
    public static final int ATTR_MASK_OFFSET = QP_HANDLE_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = ATTR_MASK_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_query_qp", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u32("qp_handle", QP_HANDLE_OFFSET)
        .u32("attr_mask", ATTR_MASK_OFFSET, QpAttrMask::name)
        .build();

    /** Creates a view that looks at nothing yet. */
    public QueryQpRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the QP's handle} */
    public int qpHandle() {
        return u32(QP_HANDLE_OFFSET);
    }

    /** {@return this, with {@code qp_handle} set}
     * @param value the QP's handle */
    public QueryQpRequest qpHandle(int value) {
        return u32(QP_HANDLE_OFFSET, value);
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.QpAttrMask}: which attributes to tell} */
    public int attrMask() {
        return u32(ATTR_MASK_OFFSET);
    }

    /** {@return this, with {@code attr_mask} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.QpAttrMask}: which attributes to tell */
    public QueryQpRequest attrMask(int value) {
        return u32(ATTR_MASK_OFFSET, value);
    }
}
