/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.PortState;

/**
 * A port as QUERY_PORT answers it, {@code struct pvrdma_port_attr}.
 */
public final class PortAttr extends Flyweight<PortAttr> {
    /** Offset of {@code state}. */
    public static final int STATE_OFFSET = 0;
    /** Offset of {@code max_mtu}. */
    public static final int MAX_MTU_OFFSET = STATE_OFFSET + 4;
    /** Offset of {@code active_mtu}. */
    public static final int ACTIVE_MTU_OFFSET = MAX_MTU_OFFSET + 4;
    /** Offset of {@code gid_tbl_len}. */
    public static final int GID_TBL_LEN_OFFSET = ACTIVE_MTU_OFFSET + 4;
    /** Offset of {@code port_cap_flags}. */
    public static final int PORT_CAP_FLAGS_OFFSET = GID_TBL_LEN_OFFSET + 4;
    /** Offset of {@code max_msg_sz}. */
    public static final int MAX_MSG_SZ_OFFSET = PORT_CAP_FLAGS_OFFSET + 4;
    /** Offset of {@code bad_pkey_cntr}. */
    public static final int BAD_PKEY_CNTR_OFFSET = MAX_MSG_SZ_OFFSET + 4;
    /** Offset of {@code qkey_viol_cntr}. */
    public static final int QKEY_VIOL_CNTR_OFFSET = BAD_PKEY_CNTR_OFFSET + 4;
    /** Offset of {@code pkey_tbl_len}. */
    public static final int PKEY_TBL_LEN_OFFSET = QKEY_VIOL_CNTR_OFFSET + 4;
    /** Offset of {@code lid}. */
    public static final int LID_OFFSET = PKEY_TBL_LEN_OFFSET + 2;
    /** Offset of {@code sm_lid}. */
    public static final int SM_LID_OFFSET = LID_OFFSET + 2;
    /** Offset of {@code lmc}. */
    public static final int LMC_OFFSET = SM_LID_OFFSET + 2;
    /** Offset of {@code max_vl_num}. */
    public static final int MAX_VL_NUM_OFFSET = LMC_OFFSET + 1;
    /** Offset of {@code sm_sl}. */
    public static final int SM_SL_OFFSET = MAX_VL_NUM_OFFSET + 1;
    /** Offset of {@code subnet_timeout}. */
    public static final int SUBNET_TIMEOUT_OFFSET = SM_SL_OFFSET + 1;
    /** Offset of {@code init_type_reply}. */
    public static final int INIT_TYPE_REPLY_OFFSET = SUBNET_TIMEOUT_OFFSET + 1;
    /** Offset of {@code active_width}. */
    public static final int ACTIVE_WIDTH_OFFSET = INIT_TYPE_REPLY_OFFSET + 1;
    /** Offset of {@code active_speed}. */
    public static final int ACTIVE_SPEED_OFFSET = ACTIVE_WIDTH_OFFSET + 1;
    /** Offset of {@code phys_state}. */
    public static final int PHYS_STATE_OFFSET = ACTIVE_SPEED_OFFSET + 1;
    /** Bytes of the struct. */
    public static final int LENGTH = PHYS_STATE_OFFSET + 3;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_port_attr", LENGTH)
        .u32("state", STATE_OFFSET, PortState::name)
        .u32("max_mtu", MAX_MTU_OFFSET)
        .u32("active_mtu", ACTIVE_MTU_OFFSET)
        .u32("gid_tbl_len", GID_TBL_LEN_OFFSET)
        .u32("port_cap_flags", PORT_CAP_FLAGS_OFFSET)
        .u32("max_msg_sz", MAX_MSG_SZ_OFFSET)
        .u32("bad_pkey_cntr", BAD_PKEY_CNTR_OFFSET)
        .u32("qkey_viol_cntr", QKEY_VIOL_CNTR_OFFSET)
        .u16("pkey_tbl_len", PKEY_TBL_LEN_OFFSET)
        .u16("lid", LID_OFFSET)
        .u16("sm_lid", SM_LID_OFFSET)
        .u8("lmc", LMC_OFFSET)
        .u8("max_vl_num", MAX_VL_NUM_OFFSET)
        .u8("sm_sl", SM_SL_OFFSET)
        .u8("subnet_timeout", SUBNET_TIMEOUT_OFFSET)
        .u8("init_type_reply", INIT_TYPE_REPLY_OFFSET)
        .u8("active_width", ACTIVE_WIDTH_OFFSET)
        .u8("active_speed", ACTIVE_SPEED_OFFSET)
        .u8("phys_state", PHYS_STATE_OFFSET)
        .reserved(2)
        .build();

    /** Creates a view that looks at nothing yet. */
    public PortAttr() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.PortState}} */
    public int state() {
        return u32(STATE_OFFSET);
    }

    /** {@return this, with {@code state} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.PortState} */
    public PortAttr state(int value) {
        return u32(STATE_OFFSET, value);
    }

    /** {@return the largest MTU, an {@link io.rdma4j.hw.pvrdma.Mtu} code} */
    public int maxMtu() {
        return u32(MAX_MTU_OFFSET);
    }

    /** {@return this, with {@code max_mtu} set}
     * @param value the largest MTU, an {@link io.rdma4j.hw.pvrdma.Mtu} code */
    public PortAttr maxMtu(int value) {
        return u32(MAX_MTU_OFFSET, value);
    }

    /** {@return the MTU in use, an {@link io.rdma4j.hw.pvrdma.Mtu} code} */
    public int activeMtu() {
        return u32(ACTIVE_MTU_OFFSET);
    }

    /** {@return this, with {@code active_mtu} set}
     * @param value the MTU in use, an {@link io.rdma4j.hw.pvrdma.Mtu} code */
    public PortAttr activeMtu(int value) {
        return u32(ACTIVE_MTU_OFFSET, value);
    }

    /** {@return the number of GIDs, unsigned} */
    public int gidTblLen() {
        return u32(GID_TBL_LEN_OFFSET);
    }

    /** {@return this, with {@code gid_tbl_len} set}
     * @param value the number of GIDs, unsigned */
    public PortAttr gidTblLen(int value) {
        return u32(GID_TBL_LEN_OFFSET, value);
    }

    /** {@return the capability bits of InfiniBand's PortInfo} */
    public int portCapFlags() {
        return u32(PORT_CAP_FLAGS_OFFSET);
    }

    /** {@return this, with {@code port_cap_flags} set}
     * @param value the capability bits of InfiniBand's PortInfo */
    public PortAttr portCapFlags(int value) {
        return u32(PORT_CAP_FLAGS_OFFSET, value);
    }

    /** {@return the longest message in bytes, unsigned} */
    public int maxMsgSz() {
        return u32(MAX_MSG_SZ_OFFSET);
    }

    /** {@return this, with {@code max_msg_sz} set}
     * @param value the longest message in bytes, unsigned */
    public PortAttr maxMsgSz(int value) {
        return u32(MAX_MSG_SZ_OFFSET, value);
    }

    /** {@return how many bad partition keys came in, unsigned} */
    public int badPkeyCntr() {
        return u32(BAD_PKEY_CNTR_OFFSET);
    }

    /** {@return this, with {@code bad_pkey_cntr} set}
     * @param value how many bad partition keys came in, unsigned */
    public PortAttr badPkeyCntr(int value) {
        return u32(BAD_PKEY_CNTR_OFFSET, value);
    }

    /** {@return how many wrong Q_Keys came in, unsigned} */
    public int qkeyViolCntr() {
        return u32(QKEY_VIOL_CNTR_OFFSET);
    }

    /** {@return this, with {@code qkey_viol_cntr} set}
     * @param value how many wrong Q_Keys came in, unsigned */
    public PortAttr qkeyViolCntr(int value) {
        return u32(QKEY_VIOL_CNTR_OFFSET, value);
    }

    /** {@return the number of partition keys} */
    public int pkeyTblLen() {
        return u16(PKEY_TBL_LEN_OFFSET);
    }

    /** {@return this, with {@code pkey_tbl_len} set}
     * @param value the number of partition keys */
    public PortAttr pkeyTblLen(int value) {
        return u16(PKEY_TBL_LEN_OFFSET, value);
    }

    /** {@return the LID, 0 on Ethernet} */
    public int lid() {
        return u16(LID_OFFSET);
    }

    /** {@return this, with {@code lid} set}
     * @param value the LID, 0 on Ethernet */
    public PortAttr lid(int value) {
        return u16(LID_OFFSET, value);
    }

    /** {@return the LID of the subnet manager, 0 on Ethernet} */
    public int smLid() {
        return u16(SM_LID_OFFSET);
    }

    /** {@return this, with {@code sm_lid} set}
     * @param value the LID of the subnet manager, 0 on Ethernet */
    public PortAttr smLid(int value) {
        return u16(SM_LID_OFFSET, value);
    }

    /** {@return the LID mask count} */
    public int lmc() {
        return u8(LMC_OFFSET);
    }

    /** {@return this, with {@code lmc} set}
     * @param value the LID mask count */
    public PortAttr lmc(int value) {
        return u8(LMC_OFFSET, value);
    }

    /** {@return the number of virtual lanes, coded} */
    public int maxVlNum() {
        return u8(MAX_VL_NUM_OFFSET);
    }

    /** {@return this, with {@code max_vl_num} set}
     * @param value the number of virtual lanes, coded */
    public PortAttr maxVlNum(int value) {
        return u8(MAX_VL_NUM_OFFSET, value);
    }

    /** {@return the service level of the subnet manager} */
    public int smSl() {
        return u8(SM_SL_OFFSET);
    }

    /** {@return this, with {@code sm_sl} set}
     * @param value the service level of the subnet manager */
    public PortAttr smSl(int value) {
        return u8(SM_SL_OFFSET, value);
    }

    /** {@return the subnet timeout, coded} */
    public int subnetTimeout() {
        return u8(SUBNET_TIMEOUT_OFFSET);
    }

    /** {@return this, with {@code subnet_timeout} set}
     * @param value the subnet timeout, coded */
    public PortAttr subnetTimeout(int value) {
        return u8(SUBNET_TIMEOUT_OFFSET, value);
    }

    /** {@return the kind of initialisation done} */
    public int initTypeReply() {
        return u8(INIT_TYPE_REPLY_OFFSET);
    }

    /** {@return this, with {@code init_type_reply} set}
     * @param value the kind of initialisation done */
    public PortAttr initTypeReply(int value) {
        return u8(INIT_TYPE_REPLY_OFFSET, value);
    }

    /** {@return the link width, coded} */
    public int activeWidth() {
        return u8(ACTIVE_WIDTH_OFFSET);
    }

    /** {@return this, with {@code active_width} set}
     * @param value the link width, coded */
    public PortAttr activeWidth(int value) {
        return u8(ACTIVE_WIDTH_OFFSET, value);
    }

    /** {@return the link speed, coded} */
    public int activeSpeed() {
        return u8(ACTIVE_SPEED_OFFSET);
    }

    /** {@return this, with {@code active_speed} set}
     * @param value the link speed, coded */
    public PortAttr activeSpeed(int value) {
        return u8(ACTIVE_SPEED_OFFSET, value);
    }

    /** {@return the physical state, coded} */
    public int physState() {
        return u8(PHYS_STATE_OFFSET);
    }

    /** {@return this, with {@code phys_state} set}
     * @param value the physical state, coded */
    public PortAttr physState(int value) {
        return u8(PHYS_STATE_OFFSET, value);
    }
}
