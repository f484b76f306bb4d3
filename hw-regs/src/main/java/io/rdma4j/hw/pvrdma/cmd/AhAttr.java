/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Flyweight;
import io.rdma4j.hw.layout.Layout;
import io.rdma4j.hw.pvrdma.AhFlags;

/**
 * Where a connected QP sends to, {@code struct pvrdma_ah_attr} with its {@code struct pvrdma_global_route grh}:
 *
 * <pre>
 *    0                      16           20          21         22             23   24
 *   +----------------------+------------+-----------+----------+--------------+----+
 *   | dgid                 | flow_label | sgid_index| hop_limit| traffic_class| 0  |  grh
 *   +------+---------+----+-------------+-+-----------+--------+---------+----+----+
 *   | dlid | vlan_id | sl | src_path_bits | static_rate | ah_flags | port_num | dmac[6] | 0 |
 *   +------+---------+----+---------------+-------------+----------+----------+---------+---+
 *    24     26        28   29              30            31         32         33        39
 * </pre>
 *
 * <p>Datagrams carry their address in the WQE in another form, {@link io.rdma4j.hw.pvrdma.Av}.
 */
public final class AhAttr extends Flyweight<AhAttr> {
    /** Offset of {@code grh.dgid}. */
    public static final int DGID_OFFSET = 0;
    /** Offset of {@code grh.flow_label}. */
    public static final int FLOW_LABEL_OFFSET = DGID_OFFSET + 16;
    /** Offset of {@code grh.sgid_index}. */
    public static final int SGID_INDEX_OFFSET = FLOW_LABEL_OFFSET + 4;
    /** Offset of {@code grh.hop_limit}. */
    public static final int HOP_LIMIT_OFFSET = SGID_INDEX_OFFSET + 1;
    /** Offset of {@code grh.traffic_class}. */
    public static final int TRAFFIC_CLASS_OFFSET = HOP_LIMIT_OFFSET + 1;
    /** Offset of {@code dlid}. */
    public static final int DLID_OFFSET = TRAFFIC_CLASS_OFFSET + 2;
    /** Offset of {@code vlan_id}. */
    public static final int VLAN_ID_OFFSET = DLID_OFFSET + 2;
    /** Offset of {@code sl}. */
    public static final int SL_OFFSET = VLAN_ID_OFFSET + 2;
    /** Offset of {@code src_path_bits}. */
    public static final int SRC_PATH_BITS_OFFSET = SL_OFFSET + 1;
    /** Offset of {@code static_rate}. */
    public static final int STATIC_RATE_OFFSET = SRC_PATH_BITS_OFFSET + 1;
    /** Offset of {@code ah_flags}. */
    public static final int AH_FLAGS_OFFSET = STATIC_RATE_OFFSET + 1;
    /** Offset of {@code port_num}. */
    public static final int PORT_NUM_OFFSET = AH_FLAGS_OFFSET + 1;
    /** Offset of {@code dmac}. */
    public static final int DMAC_OFFSET = PORT_NUM_OFFSET + 1;
    /** Bytes of the struct. */
    public static final int LENGTH = DMAC_OFFSET + 7;

    /** What the struct looks like. */
    public static final Layout LAYOUT = Layout.of("pvrdma_ah_attr", LENGTH)
        .bytes("grh.dgid", DGID_OFFSET, 16)
        .u32("grh.flow_label", FLOW_LABEL_OFFSET)
        .u8("grh.sgid_index", SGID_INDEX_OFFSET)
        .u8("grh.hop_limit", HOP_LIMIT_OFFSET)
        .u8("grh.traffic_class", TRAFFIC_CLASS_OFFSET)
        .reserved(1)
        .u16("dlid", DLID_OFFSET)
        .u16("vlan_id", VLAN_ID_OFFSET)
        .u8("sl", SL_OFFSET)
        .u8("src_path_bits", SRC_PATH_BITS_OFFSET)
        .u8("static_rate", STATIC_RATE_OFFSET)
        .u8("ah_flags", AH_FLAGS_OFFSET, AhFlags::name)
        .u8("port_num", PORT_NUM_OFFSET)
        .bytes("dmac", DMAC_OFFSET, 6)
        .reserved(1)
        .build();

    /** Creates a view that looks at nothing yet. */
    public AhAttr() {
    }

    @Override
    public Layout layout() {
        return LAYOUT;
    }

    /** {@return the destination GID, a copy of the 16 bytes} */
    public byte[] dgid() {
        return bytes(DGID_OFFSET, 16);
    }

    /** {@return this, with {@code grh.dgid} set}
     * @param value the destination GID, 16 bytes */
    public AhAttr dgid(byte[] value) {
        return bytes(DGID_OFFSET, 16, value);
    }

    /** {@return the flow label, 20 bits} */
    public int flowLabel() {
        return u32(FLOW_LABEL_OFFSET);
    }

    /** {@return this, with {@code grh.flow_label} set}
     * @param value the flow label, 20 bits */
    public AhAttr flowLabel(int value) {
        return u32(FLOW_LABEL_OFFSET, value);
    }

    /** {@return the index of the source GID} */
    public int sgidIndex() {
        return u8(SGID_INDEX_OFFSET);
    }

    /** {@return this, with {@code grh.sgid_index} set}
     * @param value the index of the source GID */
    public AhAttr sgidIndex(int value) {
        return u8(SGID_INDEX_OFFSET, value);
    }

    /** {@return the hop limit} */
    public int hopLimit() {
        return u8(HOP_LIMIT_OFFSET);
    }

    /** {@return this, with {@code grh.hop_limit} set}
     * @param value the hop limit */
    public AhAttr hopLimit(int value) {
        return u8(HOP_LIMIT_OFFSET, value);
    }

    /** {@return the traffic class} */
    public int trafficClass() {
        return u8(TRAFFIC_CLASS_OFFSET);
    }

    /** {@return this, with {@code grh.traffic_class} set}
     * @param value the traffic class */
    public AhAttr trafficClass(int value) {
        return u8(TRAFFIC_CLASS_OFFSET, value);
    }

    /** {@return the destination LID, 0 on Ethernet} */
    public int dlid() {
        return u16(DLID_OFFSET);
    }

    /** {@return this, with {@code dlid} set}
     * @param value the destination LID, 0 on Ethernet */
    public AhAttr dlid(int value) {
        return u16(DLID_OFFSET, value);
    }

    /** {@return the VLAN, which Linux leaves 0} */
    public int vlanId() {
        return u16(VLAN_ID_OFFSET);
    }

    /** {@return this, with {@code vlan_id} set}
     * @param value the VLAN, which Linux leaves 0 */
    public AhAttr vlanId(int value) {
        return u16(VLAN_ID_OFFSET, value);
    }

    /** {@return the service level} */
    public int sl() {
        return u8(SL_OFFSET);
    }

    /** {@return this, with {@code sl} set}
     * @param value the service level */
    public AhAttr sl(int value) {
        return u8(SL_OFFSET, value);
    }

    /** {@return the source path bits} */
    public int srcPathBits() {
        return u8(SRC_PATH_BITS_OFFSET);
    }

    /** {@return this, with {@code src_path_bits} set}
     * @param value the source path bits */
    public AhAttr srcPathBits(int value) {
        return u8(SRC_PATH_BITS_OFFSET, value);
    }

    /** {@return the rate limit, coded} */
    public int staticRate() {
        return u8(STATIC_RATE_OFFSET);
    }

    /** {@return this, with {@code static_rate} set}
     * @param value the rate limit, coded */
    public AhAttr staticRate(int value) {
        return u8(STATIC_RATE_OFFSET, value);
    }

    /** {@return the {@link io.rdma4j.hw.pvrdma.AhFlags}} */
    public int ahFlags() {
        return u8(AH_FLAGS_OFFSET);
    }

    /** {@return this, with {@code ah_flags} set}
     * @param value the {@link io.rdma4j.hw.pvrdma.AhFlags} */
    public AhAttr ahFlags(int value) {
        return u8(AH_FLAGS_OFFSET, value);
    }

    /** {@return the port, counted from 1} */
    public int portNum() {
        return u8(PORT_NUM_OFFSET);
    }

    /** {@return this, with {@code port_num} set}
     * @param value the port, counted from 1 */
    public AhAttr portNum(int value) {
        return u8(PORT_NUM_OFFSET, value);
    }

    /** {@return the destination MAC, a copy of the 6 bytes} */
    public byte[] dmac() {
        return bytes(DMAC_OFFSET, 6);
    }

    /** {@return this, with {@code dmac} set}
     * @param value the destination MAC, 6 bytes */
    public AhAttr dmac(byte[] value) {
        return bytes(DMAC_OFFSET, 6, value);
    }
}
