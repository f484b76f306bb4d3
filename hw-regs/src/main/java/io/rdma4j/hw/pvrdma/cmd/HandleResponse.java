/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * The shape of all answers that say no more than a handle: to CREATE_PD, CREATE_UC and CREATE_SRQ ({@code struct
 * pvrdma_cmd_create_pd_resp} and so on).
 */
public final class HandleResponse extends CommandResponse<HandleResponse> {
    /** Offset of {@code handle}. */
    public static final int HANDLE_OFFSET = ResponseHeader.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = HANDLE_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_handle_resp", LENGTH)
        .nested("hdr", 0, ResponseHeader.LAYOUT)
        .u32("handle", HANDLE_OFFSET)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public HandleResponse() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the new object's handle; 0 is a handle like any other} */
    public int handle() {
        return u32(HANDLE_OFFSET);
    }

    /** {@return this, with {@code handle} set}
     * @param value the new object's handle; 0 is a handle like any other */
    public HandleResponse handle(int value) {
        return u32(HANDLE_OFFSET, value);
    }
}
