/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * Answer to CREATE_MW.
 */
public final class CreateMwResponse extends CommandResponse<CreateMwResponse> {
    /** Offset of {@code mw_handle}. */
    public static final int MW_HANDLE_OFFSET = ResponseHeader.LENGTH;
    /** Offset of {@code rkey}. */
    public static final int RKEY_OFFSET = MW_HANDLE_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = RKEY_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("rdma4j_cmd_create_mw_resp", LENGTH)
        .nested("hdr", 0, ResponseHeader.LAYOUT)
        .u32("mw_handle", MW_HANDLE_OFFSET)
        .u32("rkey", RKEY_OFFSET)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreateMwResponse() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the window's handle} */
    public int mwHandle() {
        return u32(MW_HANDLE_OFFSET);
    }

    /** {@return this, with {@code mw_handle} set}
     * @param value the window's handle */
    public CreateMwResponse mwHandle(int value) {
        return u32(MW_HANDLE_OFFSET, value);
    }

    /** {@return the first key of the window, which names nothing before it is bound} */
    public int rkey() {
        return u32(RKEY_OFFSET);
    }

    /** {@return this, with {@code rkey} set}
     * @param value the first key of the window, which names nothing before it is bound */
    public CreateMwResponse rkey(int value) {
        return u32(RKEY_OFFSET, value);
    }
}
