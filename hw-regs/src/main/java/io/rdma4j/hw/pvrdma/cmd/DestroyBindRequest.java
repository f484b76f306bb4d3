/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;

/**
 * DESTROY_BIND, {@code struct pvrdma_cmd_destroy_bind}: takes a GID out of the table.
 */
public final class DestroyBindRequest extends CommandRequest<DestroyBindRequest> {
    /** Offset of {@code index}. */
    public static final int INDEX_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code dest_gid}. */
    public static final int GID_OFFSET = INDEX_OFFSET + 4;
    /** Bytes of the struct. */
    public static final int LENGTH = GID_OFFSET + 20;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_destroy_bind", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u32("index", INDEX_OFFSET)
        .bytes("dest_gid", GID_OFFSET, 16)
        .reserved(4)
        .build();

    /** Creates a view that looks at nothing yet. */
    public DestroyBindRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the index in the GID table} */
    public int index() {
        return u32(INDEX_OFFSET);
    }

    /** {@return this, with {@code index} set}
     * @param value the index in the GID table */
    public DestroyBindRequest index(int value) {
        return u32(INDEX_OFFSET, value);
    }

    /** {@return the GID that was put there, a copy of the 16 bytes} */
    public byte[] gid() {
        return bytes(GID_OFFSET, 16);
    }

    /** {@return this, with {@code dest_gid} set}
     * @param value the GID that was put there, 16 bytes */
    public DestroyBindRequest gid(byte[] value) {
        return bytes(GID_OFFSET, 16, value);
    }
}
