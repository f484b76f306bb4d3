/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.GidType;

/**
 * CREATE_BIND, {@code struct pvrdma_cmd_create_bind}: puts a GID into the table.
 */
public final class CreateBindRequest extends CommandRequest<CreateBindRequest> {
    /** Offset of {@code mtu}. */
    public static final int MTU_OFFSET = CommandHeader.LENGTH;
    /** Offset of {@code vlan}. */
    public static final int VLAN_OFFSET = MTU_OFFSET + 4;
    /** Offset of {@code index}. */
    public static final int INDEX_OFFSET = VLAN_OFFSET + 4;
    /** Offset of {@code new_gid}. */
    public static final int GID_OFFSET = INDEX_OFFSET + 4;
    /** Offset of {@code gid_type}. */
    public static final int GID_TYPE_OFFSET = GID_OFFSET + 16;
    /** Bytes of the struct. */
    public static final int LENGTH = GID_TYPE_OFFSET + 4;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_cmd_create_bind", LENGTH)
        .nested("hdr", 0, CommandHeader.LAYOUT)
        .u32("mtu", MTU_OFFSET)
        .u32("vlan", VLAN_OFFSET)
        .u32("index", INDEX_OFFSET)
        .bytes("new_gid", GID_OFFSET, 16)
        .u8("gid_type", GID_TYPE_OFFSET, GidType::name)
        .reserved(3)
        .build();

    /** Creates a view that looks at nothing yet. */
    public CreateBindRequest() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the MTU in bytes, not as a code; Linux sends 1024} */
    public int mtu() {
        return u32(MTU_OFFSET);
    }

    /** {@return this, with {@code mtu} set}
     * @param value the MTU in bytes, not as a code; Linux sends 1024 */
    public CreateBindRequest mtu(int value) {
        return u32(MTU_OFFSET, value);
    }

    /** {@return the VLAN, 0xfff for none} */
    public int vlan() {
        return u32(VLAN_OFFSET);
    }

    /** {@return this, with {@code vlan} set}
     * @param value the VLAN, 0xfff for none */
    public CreateBindRequest vlan(int value) {
        return u32(VLAN_OFFSET, value);
    }

    /** {@return the index in the GID table} */
    public int index() {
        return u32(INDEX_OFFSET);
    }

    /** {@return this, with {@code index} set}
     * @param value the index in the GID table */
    public CreateBindRequest index(int value) {
        return u32(INDEX_OFFSET, value);
    }

    /** {@return the GID, a copy of the 16 bytes} */
    public byte[] gid() {
        return bytes(GID_OFFSET, 16);
    }

    /** {@return this, with {@code new_gid} set}
     * @param value the GID, 16 bytes */
    public CreateBindRequest gid(byte[] value) {
        return bytes(GID_OFFSET, 16, value);
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.GidType}} */
    public int gidType() {
        return u8(GID_TYPE_OFFSET);
    }

    /** {@return this, with {@code gid_type} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.GidType} */
    public CreateBindRequest gidType(int value) {
        return u8(GID_TYPE_OFFSET, value);
    }
}
