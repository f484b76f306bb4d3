/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * Answer to CREATE_CQ, {@code struct pvrdma_cmd_create_cq_resp}.
 */
public final class CreateCqResponse extends CommandResponse<CreateCqResponse> {
    /** Offset of {@code cq_handle}. */
    public static final int CQ_HANDLE_OFFSET = ResponseHeader.LENGTH;
    /** Offset of {@code cqe}. */
    public static final int CQE_OFFSET = CQ_HANDLE_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = CQE_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_create_cq_resp", LENGTH)
        .nested("hdr", 0, ResponseHeader.LAYOUT)
        .u32("cq_handle", CQ_HANDLE_OFFSET)
        .u32("cqe", CQE_OFFSET)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreateCqResponse() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the CQ's handle} */
    public int cqHandle() {
        return u32(CQ_HANDLE_OFFSET);
    }

    /** {@return this, with {@code cq_handle} set}
     * @param value the CQ's handle */
    public CreateCqResponse cqHandle(int value) {
        return u32(CQ_HANDLE_OFFSET, value);
    }

    /** {@return the CQEs of the ring} */
    public int cqe() {
        return u32(CQE_OFFSET);
    }

    /** {@return this, with {@code cqe} set}
     * @param value the CQEs of the ring */
    public CreateCqResponse cqe(int value) {
        return u32(CQE_OFFSET, value);
    }
}
