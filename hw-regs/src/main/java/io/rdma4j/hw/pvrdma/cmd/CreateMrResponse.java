/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * Answer to CREATE_MR, {@code struct pvrdma_cmd_create_mr_resp}.
 */
public final class CreateMrResponse extends CommandResponse<CreateMrResponse> {
    /** Offset of {@code mr_handle}. */
    public static final int MR_HANDLE_OFFSET = ResponseHeader.LENGTH;
    /** Offset of {@code lkey}. */
    public static final int LKEY_OFFSET = MR_HANDLE_OFFSET + 4;
    /** Offset of {@code rkey}. */
    public static final int RKEY_OFFSET = LKEY_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = RKEY_OFFSET + 8;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_create_mr_resp", LENGTH)
        .nested("hdr", 0, ResponseHeader.LAYOUT)
        .u32("mr_handle", MR_HANDLE_OFFSET)
        .u32("lkey", LKEY_OFFSET)
        .u32("rkey", RKEY_OFFSET)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreateMrResponse() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the region's handle} */
    public int mrHandle() {
        return u32(MR_HANDLE_OFFSET);
    }

    /** {@return this, with {@code mr_handle} set}
     * @param value the region's handle */
    public CreateMrResponse mrHandle(int value) {
        return u32(MR_HANDLE_OFFSET, value);
    }

    /** {@return the key for local SGEs} */
    public int lkey() {
        return u32(LKEY_OFFSET);
    }

    /** {@return this, with {@code lkey} set}
     * @param value the key for local SGEs */
    public CreateMrResponse lkey(int value) {
        return u32(LKEY_OFFSET, value);
    }

    /** {@return the key for peers} */
    public int rkey() {
        return u32(RKEY_OFFSET);
    }

    /** {@return this, with {@code rkey} set}
     * @param value the key for peers */
    public CreateMrResponse rkey(int value) {
        return u32(RKEY_OFFSET, value);
    }
}
