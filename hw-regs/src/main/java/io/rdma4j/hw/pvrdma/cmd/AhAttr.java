/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma.cmd;

import io.rdma4j.hw.layout.Fields;
import io.rdma4j.hw.layout.Fields.BytesField;
import io.rdma4j.hw.layout.Fields.IntField;
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
    private static final Fields<AhAttr> F = Fields.of("pvrdma_ah_attr");

    /** The destination GID, 16 bytes. */
    public static final BytesField<AhAttr> GRH_DGID = F.bytes("grh.dgid", 16);
    /** The flow label, 20 bits. */
    public static final IntField<AhAttr> GRH_FLOW_LABEL = F.u32("grh.flow_label");
    /** The index of the source GID. */
    public static final IntField<AhAttr> GRH_SGID_INDEX = F.u8("grh.sgid_index");
    /** The hop limit. */
    public static final IntField<AhAttr> GRH_HOP_LIMIT = F.u8("grh.hop_limit");
    /** The traffic class. */
    public static final IntField<AhAttr> GRH_TRAFFIC_CLASS = F.u8("grh.traffic_class");
    /** The destination LID, 0 on Ethernet. */
    public static final IntField<AhAttr> DLID = F.reserved(1).u16("dlid");
    /** The VLAN, which Linux leaves 0. */
    public static final IntField<AhAttr> VLAN_ID = F.u16("vlan_id");
    /** The service level. */
    public static final IntField<AhAttr> SL = F.u8("sl");
    /** The source path bits. */
    public static final IntField<AhAttr> SRC_PATH_BITS = F.u8("src_path_bits");
    /** The rate limit, coded. */
    public static final IntField<AhAttr> STATIC_RATE = F.u8("static_rate");
    /** The {@link io.rdma4j.hw.pvrdma.AhFlags}. */
    public static final IntField<AhAttr> AH_FLAGS = F.u8("ah_flags", AhFlags.NAMES);
    /** The port, counted from 1. */
    public static final IntField<AhAttr> PORT_NUM = F.u8("port_num");
    /** The destination MAC, 6 bytes. */
    public static final BytesField<AhAttr> DMAC = F.bytes("dmac", 6);
    /** What the struct looks like. */
    public static final Layout LAYOUT = F.reserved(1).build();

    /** Creates a view that looks at nothing yet. */
    public AhAttr() {
        super(LAYOUT);
    }
}
