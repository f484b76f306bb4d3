/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * CREATE_PD, {@code struct pvrdma_cmd_create_pd}. The answer is a {@link HandleResponse}.
 */
public final class CreatePdRequest extends CommandRequest<CreatePdRequest> {
    /** Offset of {@code ctx_handle}. */
    public static final int CTX_HANDLE_OFFSET = CommandHeader.LENGTH;
    /** Bytes of the struct. */
    public static final int LENGTH = CTX_HANDLE_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_create_pd", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u32("ctx_handle", CTX_HANDLE_OFFSET)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreatePdRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the user context; 0 is the driver's own} */
    public int ctxHandle() {
        return u32(CTX_HANDLE_OFFSET);
    }

    /** {@return this, with {@code ctx_handle} set}
     * @param value the user context; 0 is the driver's own */
    public CreatePdRequest ctxHandle(int value) {
        return u32(CTX_HANDLE_OFFSET, value);
    }
}
