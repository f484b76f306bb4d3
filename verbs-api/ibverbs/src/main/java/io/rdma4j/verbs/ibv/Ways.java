/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.spi.AhRanges;
import org.agrona.MutableDirectBuffer;

/** Ways to peers: what is allowed, and their place in {@code struct ibv_ah_attr}. */
final class Ways {
    private Ways() {
    }

    /** Refuses a way that makes no sense. */
    static void check(final AhAttributes way, final String operation, final IbvContext context) {
        AhRanges.check(way, operation, context, "use index 0");
    }

    static void write(final MutableDirectBuffer to, final int at, final AhAttributes way, final GidTable gids) {
        to.putBytes(at + Abi.AhAttr.GRH_DGID, way.dgid().bytes());
        to.putInt(at + Abi.AhAttr.GRH_FLOW_LABEL, way.flowLabel());
        to.putByte(at + Abi.AhAttr.GRH_SGID_INDEX, (byte) gids.toDevice(way.port(), way.sgidIndex()));
        to.putByte(at + Abi.AhAttr.GRH_HOP_LIMIT, (byte) way.hopLimit());
        to.putByte(at + Abi.AhAttr.GRH_TRAFFIC_CLASS, (byte) way.trafficClass());
        to.putByte(at + Abi.AhAttr.SL, (byte) way.serviceLevel());
        to.putByte(at + Abi.AhAttr.IS_GLOBAL, (byte) 1);
        to.putByte(at + Abi.AhAttr.PORT_NUM, (byte) way.port());
    }

    static AhAttributes read(final MutableDirectBuffer from, final int at, final GidTable gids) {
        final byte[] dgid = new byte[Gid.LENGTH];
        from.getBytes(at + Abi.AhAttr.GRH_DGID, dgid);
        final int port = from.getByte(at + Abi.AhAttr.PORT_NUM) & 0xff;
        final int source = gids.fromDevice(port, from.getByte(at + Abi.AhAttr.GRH_SGID_INDEX) & 0xff);
        return new AhAttributes(Gid.of(dgid), source,
            from.getByte(at + Abi.AhAttr.GRH_HOP_LIMIT) & 0xff, from.getByte(at + Abi.AhAttr.GRH_TRAFFIC_CLASS) & 0xff,
            from.getInt(at + Abi.AhAttr.GRH_FLOW_LABEL), from.getByte(at + Abi.AhAttr.SL) & 0xff, port);
    }
}
