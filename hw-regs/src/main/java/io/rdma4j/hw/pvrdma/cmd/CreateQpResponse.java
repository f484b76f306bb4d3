/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.Bar1;

/**
 * Answer to CREATE_QP of a device before version 20, {@code struct pvrdma_cmd_create_qp_resp}: the QP's number is its
 * handle. {@link CreateQpResponseV2} is the later layout, {@link #forVersion} chooses.
 */
public final class CreateQpResponse extends CommandResponse<CreateQpResponse> implements CreateQpResult {
    /** Offset of {@code qpn}. */
    public static final int QPN_OFFSET = ResponseHeader.LENGTH;
    /** Offset of {@code max_send_wr}. */
    public static final int MAX_SEND_WR_OFFSET = QPN_OFFSET + 4;
    /** Offset of {@code max_recv_wr}. */
    public static final int MAX_RECV_WR_OFFSET = MAX_SEND_WR_OFFSET + 4;
    /** Offset of {@code max_send_sge}. */
    public static final int MAX_SEND_SGE_OFFSET = MAX_RECV_WR_OFFSET + 4;
    /** Offset of {@code max_recv_sge}. */
    public static final int MAX_RECV_SGE_OFFSET = MAX_SEND_SGE_OFFSET + 4;
    /** Offset of {@code max_inline_data}. */
    public static final int MAX_INLINE_DATA_OFFSET = MAX_RECV_SGE_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = MAX_INLINE_DATA_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_create_qp_resp", LENGTH)
        .nested("hdr", 0, ResponseHeader.LAYOUT)
        .u32("qpn", QPN_OFFSET)
        .u32("max_send_wr", MAX_SEND_WR_OFFSET)
        .u32("max_recv_wr", MAX_RECV_WR_OFFSET)
        .u32("max_send_sge", MAX_SEND_SGE_OFFSET)
        .u32("max_recv_sge", MAX_RECV_SGE_OFFSET)
        .u32("max_inline_data", MAX_INLINE_DATA_OFFSET)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreateQpResponse() {
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
    public CreateQpResponse qpn(int value) {
        return u32(QPN_OFFSET, value);
    }

    @Override
    public int maxSendWr() {
        return u32(MAX_SEND_WR_OFFSET);
    }

    @Override
    public CreateQpResponse maxSendWr(int value) {
        return u32(MAX_SEND_WR_OFFSET, value);
    }

    @Override
    public int maxRecvWr() {
        return u32(MAX_RECV_WR_OFFSET);
    }

    @Override
    public CreateQpResponse maxRecvWr(int value) {
        return u32(MAX_RECV_WR_OFFSET, value);
    }

    @Override
    public int maxSendSge() {
        return u32(MAX_SEND_SGE_OFFSET);
    }

    @Override
    public CreateQpResponse maxSendSge(int value) {
        return u32(MAX_SEND_SGE_OFFSET, value);
    }

    @Override
    public int maxRecvSge() {
        return u32(MAX_RECV_SGE_OFFSET);
    }

    @Override
    public CreateQpResponse maxRecvSge(int value) {
        return u32(MAX_RECV_SGE_OFFSET, value);
    }

    @Override
    public int maxInlineData() {
        return u32(MAX_INLINE_DATA_OFFSET);
    }

    @Override
    public CreateQpResponse maxInlineData(int value) {
        return u32(MAX_INLINE_DATA_OFFSET, value);
    }

    @Override
    public int qpHandle() {
        return qpn();
    }

    @Override
    public CreateQpResponse qpHandle(int value) {
        if (value != qpn()) {
            throw new IllegalArgumentException("qp_handle " + value + ", qpn " + qpn()
                + ": in this layout the handle is the number");
        }
        return this;
    }

    /**
     * Chooses the layout that a device answers in.
     *
     * @param deviceVersion the VERSION register
     * @return a view that looks at nothing yet
     */
    public static CreateQpResult forVersion(int deviceVersion) {
        return deviceVersion >= Bar1.PVRDMA_QPHANDLE_VERSION ? new CreateQpResponseV2() : new CreateQpResponse();
    }
}
