/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * Answer to RESIZE_CQ_RING.
 */
public final class ResizeCqRingResponse extends CommandResponse<ResizeCqRingResponse> {
    /** Offset of {@code cqe}. */
    public static final int CQE_OFFSET = ResponseHeader.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = CQE_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("rdma4j_cmd_resize_cq_ring_resp", LENGTH)
        .nested("hdr", 0, ResponseHeader.LAYOUT)
        .u32("cqe", CQE_OFFSET)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public ResizeCqRingResponse() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the CQEs of the new ring} */
    public int cqe() {
        return u32(CQE_OFFSET);
    }

    /** {@return this, with {@code cqe} set}
     * @param value the CQEs of the new ring */
    public ResizeCqRingResponse cqe(int value) {
        return u32(CQE_OFFSET, value);
    }
}
