/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * CREATE_MW. An extension: the pvrdma interface has no command for memory windows.
 */
public final class CreateMwRequest extends CommandRequest<CreateMwRequest> {
    /** Offset of {@code pd_handle}. */
    public static final int PD_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code type}. */
    public static final int TYPE_OFFSET = PD_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = TYPE_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("rdma4j_cmd_create_mw", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u32("pd_handle", PD_OFFSET)
        .u32("type", TYPE_OFFSET)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreateMwRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the protection domain's handle} */
    public int pd() {
        return u32(PD_OFFSET);
    }

    /** {@return this, with {@code pd_handle} set}
     * @param value the protection domain's handle */
    public CreateMwRequest pd(int value) {
        return u32(PD_OFFSET, value);
    }

    /** {@return the type of the window: 1 or 2} */
    public int type() {
        return u32(TYPE_OFFSET);
    }

    /** {@return this, with {@code type} set}
     * @param value the type of the window: 1 or 2 */
    public CreateMwRequest type(int value) {
        return u32(TYPE_OFFSET, value);
    }
}
