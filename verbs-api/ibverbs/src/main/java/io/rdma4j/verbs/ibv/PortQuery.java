/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.PortState;
import org.agrona.DirectBuffer;

/** Asks for {@code struct ibv_port_attr}, and reads it. */
final class PortQuery {
    private static final int ETHERNET = 2;
    /** GIDs that can be named: {@code ibv_global_route} has a byte for the index. */
    private static final int MAX_GIDS = 1 << 8;

    private PortQuery() {
    }

    /**
     * Asks as {@code ibv_query_port} does, which is a macro in C: the function of its name fills no more than there was
     * in its first version.
     *
     * @param context of the device.
     * @param port    its number.
     * @param attr    where to store an {@code ibv_port_attr}, zeroed.
     * @return 0 or an errno.
     */
    static int ask(final IbvContext context, final int port, final DirectBuffer attr) {
        final long full = ContextCheck.extended(context.pointer, Abi.VerbsContext.QUERY_PORT);
        return full == 0 ? context.library.queryPort(context.pointer, (byte) port, attr.addressOffset())
            : context.library.callInt(full, context.pointer, (byte) port, attr.addressOffset(),
                (long) Abi.PortAttr.LENGTH);
    }

    static PortAttributes decode(final int port, final DirectBuffer a) {
        return new PortAttributes(port,
            PortState.of(a.getInt(Abi.PortAttr.STATE)),
            mtu(a.getInt(Abi.PortAttr.MAX_MTU)),
            mtu(a.getInt(Abi.PortAttr.ACTIVE_MTU)),
            gidTableLength(a),
            a.getShort(Abi.PortAttr.PKEY_TBL_LEN) & 0xffff,
            a.getInt(Abi.PortAttr.PORT_CAP_FLAGS),
            a.getShort(Abi.PortAttr.PORT_CAP_FLAGS2) & 0xffff,
            a.getInt(Abi.PortAttr.MAX_MSG_SZ) & 0xffff_ffffL,
            a.getInt(Abi.PortAttr.BAD_PKEY_CNTR),
            a.getInt(Abi.PortAttr.QKEY_VIOL_CNTR),
            a.getShort(Abi.PortAttr.LID) & 0xffff,
            a.getShort(Abi.PortAttr.SM_LID) & 0xffff,
            a.getByte(Abi.PortAttr.LMC) & 0xff,
            a.getByte(Abi.PortAttr.MAX_VL_NUM) & 0xff,
            a.getByte(Abi.PortAttr.SM_SL) & 0xff,
            a.getByte(Abi.PortAttr.SUBNET_TIMEOUT) & 0xff,
            a.getByte(Abi.PortAttr.INIT_TYPE_REPLY) & 0xff,
            a.getByte(Abi.PortAttr.ACTIVE_WIDTH) & 0xff,
            a.getByte(Abi.PortAttr.ACTIVE_SPEED) & 0xff,
            a.getByte(Abi.PortAttr.PHYS_STATE) & 0xff,
            isEthernet(a) ? "Ethernet" : "InfiniBand");
    }

    static int gidTableLength(final DirectBuffer a) {
        return Math.min(a.getInt(Abi.PortAttr.GID_TBL_LEN), MAX_GIDS);
    }

    static boolean isEthernet(final DirectBuffer a) {
        return a.getByte(Abi.PortAttr.LINK_LAYER) == ETHERNET;
    }

    private static Mtu mtu(final int code) {
        return Mtu.of(Math.max(1, Math.min(Mtu.values().length, code)));
    }
}
