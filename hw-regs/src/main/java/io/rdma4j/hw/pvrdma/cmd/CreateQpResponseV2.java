/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * Answer to CREATE_QP of a device from version 20 on, {@code struct pvrdma_cmd_create_qp_resp_v2}: the QP's handle is
 * not its number.
 */
public final class CreateQpResponseV2 extends CommandResponse<CreateQpResponseV2> implements CreateQpResult {
    /** Offset of {@code qpn}. */
    public static final int QPN_OFFSET = ResponseHeader.LENGTH;
    /** Offset of {@code qp_handle}. */
    public static final int QP_HANDLE_OFFSET = QPN_OFFSET + 4;
    /** Offset of {@code max_send_wr}. */
    public static final int MAX_SEND_WR_OFFSET = QP_HANDLE_OFFSET + 4;
    /** Offset of {@code max_recv_wr}. */
    public static final int MAX_RECV_WR_OFFSET = MAX_SEND_WR_OFFSET + 4;
    /** Offset of {@code max_send_sge}. */
    public static final int MAX_SEND_SGE_OFFSET = MAX_RECV_WR_OFFSET + 4;
    /** Offset of {@code max_recv_sge}. */
    public static final int MAX_RECV_SGE_OFFSET = MAX_SEND_SGE_OFFSET + 4;
    /** Offset of {@code max_inline_data}. */
    public static final int MAX_INLINE_DATA_OFFSET = MAX_RECV_SGE_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = MAX_INLINE_DATA_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_create_qp_resp_v2", LENGTH)
        .nested("hdr", 0, ResponseHeader.LAYOUT)
        .u32("qpn", QPN_OFFSET)
        .u32("qp_handle", QP_HANDLE_OFFSET)
        .u32("max_send_wr", MAX_SEND_WR_OFFSET)
        .u32("max_recv_wr", MAX_RECV_WR_OFFSET)
        .u32("max_send_sge", MAX_SEND_SGE_OFFSET)
        .u32("max_recv_sge", MAX_RECV_SGE_OFFSET)
        .u32("max_inline_data", MAX_INLINE_DATA_OFFSET)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreateQpResponseV2() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    @Override
    public int qpn() {
        return u32(QPN_OFFSET);
    }

    @Override
    public CreateQpResponseV2 qpn(int value) {
        return u32(QPN_OFFSET, value);
    }

    @Override
    public int qpHandle() {
        return u32(QP_HANDLE_OFFSET);
    }

    @Override
    public CreateQpResponseV2 qpHandle(int value) {
        return u32(QP_HANDLE_OFFSET, value);
    }

    @Override
    public int maxSendWr() {
        return u32(MAX_SEND_WR_OFFSET);
    }

    @Override
    public CreateQpResponseV2 maxSendWr(int value) {
        return u32(MAX_SEND_WR_OFFSET, value);
    }

    @Override
    public int maxRecvWr() {
        return u32(MAX_RECV_WR_OFFSET);
    }

    @Override
    public CreateQpResponseV2 maxRecvWr(int value) {
        return u32(MAX_RECV_WR_OFFSET, value);
    }

    @Override
    public int maxSendSge() {
        return u32(MAX_SEND_SGE_OFFSET);
    }

    @Override
    public CreateQpResponseV2 maxSendSge(int value) {
        return u32(MAX_SEND_SGE_OFFSET, value);
    }

    @Override
    public int maxRecvSge() {
        return u32(MAX_RECV_SGE_OFFSET);
    }

    @Override
    public CreateQpResponseV2 maxRecvSge(int value) {
        return u32(MAX_RECV_SGE_OFFSET, value);
    }

    @Override
    public int maxInlineData() {
        return u32(MAX_INLINE_DATA_OFFSET);
    }

    @Override
    public CreateQpResponseV2 maxInlineData(int value) {
        return u32(MAX_INLINE_DATA_OFFSET, value);
    }
}
