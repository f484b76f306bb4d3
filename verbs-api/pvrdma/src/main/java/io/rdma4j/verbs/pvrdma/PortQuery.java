/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.hw.pvrdma.cmd.PortAttr.*;

import io.rdma4j.hw.pvrdma.cmd.PortAttr;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.PortAttributes;
import io.rdma4j.verbs.PortState;
import io.rdma4j.verbs.pvrdma.device.DeviceLimits;

/** Attributes of a port, from {@code struct pvrdma_port_attr}. */
final class PortQuery {
    private PortQuery() {
    }

    static PortAttributes decode(final int port, final PortAttr a) {
        return new PortAttributes(port, PortState.of(a.get(STATE)), mtu(a.get(MAX_MTU)), mtu(a.get(ACTIVE_MTU)),
            Math.min(a.get(GID_TBL_LEN), DeviceLimits.MAX_GIDS), a.get(PKEY_TBL_LEN), a.get(PORT_CAP_FLAGS), 0,
            a.get(MAX_MSG_SZ) & 0xffff_ffffL, a.get(BAD_PKEY_CNTR), a.get(QKEY_VIOL_CNTR), a.get(LID), a.get(SM_LID),
            a.get(LMC), a.get(MAX_VL_NUM), a.get(SM_SL), a.get(SUBNET_TIMEOUT), a.get(INIT_TYPE_REPLY),
            a.get(ACTIVE_WIDTH), a.get(ACTIVE_SPEED), a.get(PHYS_STATE), "Ethernet");
    }

    /** A device that answers nonsense gets the smallest MTU, which every packet has room for. */
    private static Mtu mtu(final int code) {
        return code >= 1 && code <= Mtu.values().length ? Mtu.of(code) : Mtu.MTU_256;
    }
}
