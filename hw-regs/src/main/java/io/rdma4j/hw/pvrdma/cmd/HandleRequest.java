/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * The shape of all requests that say no more than a handle: DESTROY_PD, DESTROY_MR, DESTROY_CQ, DESTROY_QP,
 * DESTROY_UC, DESTROY_SRQ, QUERY_SRQ and DESTROY_MW ({@code struct pvrdma_cmd_destroy_pd} and so on).
 */
public final class HandleRequest extends CommandRequest<HandleRequest> {
    /** Offset of {@code handle}. */
    public static final int HANDLE_OFFSET = CommandHeader.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = HANDLE_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_handle", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u32("handle", HANDLE_OFFSET)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public HandleRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the object's handle} */
    public int handle() {
        return u32(HANDLE_OFFSET);
    }

    /** {@return this, with {@code handle} set}
     * @param value the object's handle */
    public HandleRequest handle(int value) {
        return u32(HANDLE_OFFSET, value);
    }
}
