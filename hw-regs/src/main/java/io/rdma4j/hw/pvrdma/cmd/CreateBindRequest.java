/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.BytesField;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.GidType;

/**
 * CREATE_BIND, {@code struct pvrdma_cmd_create_bind}: puts a GID into the table.
 */
public final class CreateBindRequest extends CommandRequest<CreateBindRequest> {
    private static final Fields<CreateBindRequest> F = fields("pvrdma_cmd_create_bind");

    /** The MTU in bytes, not as a code; Linux sends 1024. */
    public static final IntField<CreateBindRequest> MTU = F.u32("mtu");
    /** The VLAN, 0xfff for none. */
    public static final IntField<CreateBindRequest> VLAN = F.u32("vlan");
    /** The index in the GID table. */
    public static final IntField<CreateBindRequest> INDEX = F.u32("index");
    /** The GID, 16 bytes. */
    public static final BytesField<CreateBindRequest> NEW_GID = F.bytes("new_gid", 16);
    /** The {@link io.rdma4j.hw.pvrdma.GidType}. */
    public static final IntField<CreateBindRequest> GID_TYPE = F.u8("gid_type", GidType.NAMES);
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(3).build();

    /** Creates a view that looks at nothing yet. */
    public CreateBindRequest() {
        super(LAYOUT);
    }
}
