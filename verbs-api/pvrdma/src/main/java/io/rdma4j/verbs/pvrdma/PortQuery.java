/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.cmd.PortAttr;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.PortState;

/** Attributes of a port, from {@code struct pvrdma_port_attr}. */
final class PortQuery {
    private PortQuery() {
    }

    static PortAttributes decode(final int port, final PortAttr a) {
        return new PortAttributes(port, PortState.of(a.state()), mtu(a.maxMtu()), mtu(a.activeMtu()), a.gidTblLen(),
            a.pkeyTblLen(), a.portCapFlags(), a.maxMsgSz() & 0xffff_ffffL, a.badPkeyCntr(), a.qkeyViolCntr(), a.lid(),
            a.smLid(), a.lmc(), a.maxVlNum(), a.smSl(), a.subnetTimeout(), a.activeWidth(), a.activeSpeed(),
            a.physState(), "Ethernet");
    }

    /** A device that answers nonsense gets the smallest MTU, which every packet has room for. */
    private static Mtu mtu(final int code) {
        return code >= 1 && code <= Mtu.values().length ? Mtu.of(code) : Mtu.MTU_256;
    }
}
