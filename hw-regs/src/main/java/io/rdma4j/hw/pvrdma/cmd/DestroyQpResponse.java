/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * Answer to DESTROY_QP, {@code struct pvrdma_cmd_destroy_qp_resp}. Nobody waits for it.
 */
public final class DestroyQpResponse extends CommandResponse<DestroyQpResponse> {
    /** Offset of {@code events_reported}. */
    public static final int EVENTS_REPORTED_OFFSET = ResponseHeader.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = EVENTS_REPORTED_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_destroy_qp_resp", LENGTH)
        .nested("hdr", 0, ResponseHeader.LAYOUT)
        .u32("events_reported", EVENTS_REPORTED_OFFSET)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public DestroyQpResponse() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the asynchronous events that the QP had} */
    public int eventsReported() {
        return u32(EVENTS_REPORTED_OFFSET);
    }

    /** {@return this, with {@code events_reported} set}
     * @param value the asynchronous events that the QP had */
    public DestroyQpResponse eventsReported(int value) {
        return u32(EVENTS_REPORTED_OFFSET, value);
    }
}
