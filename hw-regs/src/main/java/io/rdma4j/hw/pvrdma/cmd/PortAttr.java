/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.IntField;
import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.PortState;

/**
 * A port as QUERY_PORT answers it, {@code struct pvrdma_port_attr}.
 */
public final class PortAttr extends Flyweight<PortAttr> {
    private static final Fields<PortAttr> F = Fields.of("pvrdma_port_attr");

    /** The {@link io.rdma4j.hw.pvrdma.PortState}. */
    public static final IntField<PortAttr> STATE = F.u32("state", PortState.NAMES);
    /** The largest MTU, an {@link io.rdma4j.hw.pvrdma.Mtu} code. */
    public static final IntField<PortAttr> MAX_MTU = F.u32("max_mtu");
    /** The MTU in use, an {@link io.rdma4j.hw.pvrdma.Mtu} code. */
    public static final IntField<PortAttr> ACTIVE_MTU = F.u32("active_mtu");
    /** The number of GIDs, unsigned. */
    public static final IntField<PortAttr> GID_TBL_LEN = F.u32("gid_tbl_len");
    /** The capability bits of InfiniBand's PortInfo. */
    public static final IntField<PortAttr> PORT_CAP_FLAGS = F.u32("port_cap_flags");
    /** The longest message in bytes, unsigned. */
    public static final IntField<PortAttr> MAX_MSG_SZ = F.u32("max_msg_sz");
    /** How many bad partition keys came in, unsigned. */
    public static final IntField<PortAttr> BAD_PKEY_CNTR = F.u32("bad_pkey_cntr");
    /** How many wrong Q_Keys came in, unsigned. */
    public static final IntField<PortAttr> QKEY_VIOL_CNTR = F.u32("qkey_viol_cntr");
    /** The number of partition keys. */
    public static final IntField<PortAttr> PKEY_TBL_LEN = F.u16("pkey_tbl_len");
    /** The LID, 0 on Ethernet. */
    public static final IntField<PortAttr> LID = F.u16("lid");
    /** The LID of the subnet manager, 0 on Ethernet. */
    public static final IntField<PortAttr> SM_LID = F.u16("sm_lid");
    /** The LID mask count. */
    public static final IntField<PortAttr> LMC = F.u8("lmc");
    /** The number of virtual lanes, coded. */
    public static final IntField<PortAttr> MAX_VL_NUM = F.u8("max_vl_num");
    /** The service level of the subnet manager. */
    public static final IntField<PortAttr> SM_SL = F.u8("sm_sl");
    /** The subnet timeout, coded. */
    public static final IntField<PortAttr> SUBNET_TIMEOUT = F.u8("subnet_timeout");
    /** The kind of initialisation done. */
    public static final IntField<PortAttr> INIT_TYPE_REPLY = F.u8("init_type_reply");
    /** The link width, coded. */
    public static final IntField<PortAttr> ACTIVE_WIDTH = F.u8("active_width");
    /** The link speed, coded. */
    public static final IntField<PortAttr> ACTIVE_SPEED = F.u8("active_speed");
    /** The physical state, coded. */
    public static final IntField<PortAttr> PHYS_STATE = F.u8("phys_state");
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(2).build();

    /** Creates a view that looks at nothing yet. */
    public PortAttr() {
        super(LAYOUT);
    }
}
