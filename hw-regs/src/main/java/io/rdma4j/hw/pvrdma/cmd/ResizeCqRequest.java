/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * RESIZE_CQ, {@code struct pvrdma_cmd_resize_cq}. It has no field for new memory, and nobody is known to use it.
 */
public final class ResizeCqRequest extends CommandRequest<ResizeCqRequest> {
    /** Offset of {@code cq_handle}. */
    public static final int CQ_HANDLE_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code cqe}. */
    public static final int CQE_OFFSET = CQ_HANDLE_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = CQE_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_resize_cq", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u32("cq_handle", CQ_HANDLE_OFFSET)
        .u32("cqe", CQE_OFFSET)
        .build();

    /** Creates a view that looks at nothing yet. */
    public ResizeCqRequest() {
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
    public ResizeCqRequest cqHandle(int value) {
        return u32(CQ_HANDLE_OFFSET, value);
    }

    /** {@return the CQEs wanted} */
    public int cqe() {
        return u32(CQE_OFFSET);
    }

    /** {@return this, with {@code cqe} set}
     * @param value the CQEs wanted */
    public ResizeCqRequest cqe(int value) {
        return u32(CQE_OFFSET, value);
    }
}
