/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;

/** Makes two ends of this process known to each other. */
final class InOneProcess {
    private static final int QKEY = 0x11111111;

    private InOneProcess() {
    }

    static void introduce(final Player near, final Player far) {
        final Mtu mtu = mtu(near.end(), far.end());
        connect(far.end(), near.end(), mtu);
        connect(near.end(), far.end(), mtu);
        far.turn().meet(peer(near));
        near.turn().meet(peer(far));
    }

    /** What is asked for, or what both ports have. */
    private static Mtu mtu(final Endpoint one, final Endpoint other) {
        final Mtu asked = one.options().mtu();
        return asked != null ? asked : smaller(activeMtu(one), activeMtu(other));
    }

    private static Mtu activeMtu(final Endpoint end) {
        return end.context().queryPort(1).activeMtu();
    }

    private static Mtu smaller(final Mtu one, final Mtu other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static void connect(final Endpoint end, final Endpoint peer, final Mtu mtu) {
        final QueuePair qp = end.qp();
        if (qp.type() == QpType.RC) {
            QpConnector.connect(qp, peer.qp().localAddress(), end.attributes(mtu));
        } else {
            QpConnector.activate(qp, QKEY);
        }
    }

    private static Peer peer(final Player player) {
        final QpAddress address = player.end().qp().localAddress();
        return new Peer(new QpAddress(address.gid(), address.qpn(), address.psn(), QKEY), player.turn().lends());
    }
}
