/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.BytesField;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;

/**
 * DESTROY_BIND, {@code struct pvrdma_cmd_destroy_bind}: takes a GID out of the table.
 */
public final class DestroyBindRequest extends CommandRequest<DestroyBindRequest> {
    private static final Fields<DestroyBindRequest> F = fields("pvrdma_cmd_destroy_bind");

    /** The index in the GID table. */
    public static final IntField<DestroyBindRequest> INDEX = F.u32("index");
    /** The GID that was put there, 16 bytes. */
    public static final BytesField<DestroyBindRequest> DEST_GID = F.bytes("dest_gid", 16);
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(4).build();

    /** Creates a view that looks at nothing yet. */
    public DestroyBindRequest() {
        super(LAYOUT);
    }
}
