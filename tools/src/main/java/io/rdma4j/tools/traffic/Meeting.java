/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.ConnectOptions;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaConnection;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaListener;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

/** Makes two ends known to each other: of this process, or of two over TCP, one connection after the other. */
final class Meeting {
    private static final int QKEY = 0x11111111;

    private final String operation;
    private final List<Party> parties;
    private final Mtu mtu;
    private final int outs;
    private final Duration timeout;

    /**
     * Prepares one side.
     *
     * @param operation what for, for messages to people.
     * @param parties   the QPs of an end, in an order that both sides have in common.
     * @param mtu       path MTU; null for what both ports have.
     * @param outs      READs and atomics under way that another process has to take at least.
     * @param timeout   longest wait for the other process, also for each of its messages.
     */
    Meeting(final String operation, final List<Party> parties, final Mtu mtu, final int outs, final Duration timeout) {
        this.operation = operation;
        this.parties = parties;
        this.mtu = mtu;
        this.outs = outs;
        this.timeout = timeout;
    }

    /** Number of the first QP. */
    int qpNumber() {
        return parties.get(0).qp.qpNumber();
    }

    /** Meets an end of this process. */
    void here(final Meeting far) {
        for (int i = 0; i < parties.size(); i++) {
            final Party one = parties.get(i);
            final Party other = far.parties.get(i);
            final Mtu asked = mtu != null ? mtu : smaller(activeMtu(one.qp), activeMtu(other.qp));
            connect(other, one, asked);
            connect(one, other, asked);
            other.meet.accept(addressOf(one.qp), one.introduction);
            one.meet.accept(addressOf(other.qp), other.introduction);
        }
    }

    private static Mtu activeMtu(final QueuePair qp) {
        return qp.pd().context().queryPort(1).activeMtu();
    }

    private static Mtu smaller(final Mtu one, final Mtu other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    private static void connect(final Party one, final Party other, final Mtu mtu) {
        if (one.qp.type() == QpType.RC) {
            QpConnector.connect(one.qp, other.qp.localAddress(), one.attributes.pathMtu(mtu));
        } else {
            QpConnector.activate(one.qp, QKEY);
        }
    }

    private static QpAddress addressOf(final QueuePair qp) {
        final QpAddress address = qp.localAddress();
        return new QpAddress(address.gid(), address.qpn(), address.psn(), QKEY);
    }

    /**
     * Meets an end of another process that listens.
     *
     * @return the connection of the first QP.
     */
    RdmaConnection connect(final InetSocketAddress to) {
        return parties.stream().map(party -> RdmaConnector.connect(party.qp, to, options(party))).toList().get(0);
    }

    /**
     * Waits for an end of another process.
     *
     * @param first longest wait until it comes.
     * @return the connection of the first QP.
     */
    RdmaConnection accept(final RdmaListener listener, final Duration first) {
        final RdmaConnection connection = listener.accept(parties.get(0).qp, options(parties.get(0)).timeout(first));
        parties.stream().skip(1).forEach(party -> listener.accept(party.qp, options(party)));
        return connection;
    }

    private ConnectOptions options(final Party party) {
        return new ConnectOptions().timeout(timeout).patience(timeout).privateData(party.introduction)
            .attributes(mtu == null ? party.attributes : party.attributes.pathMtu(mtu))
            .beforeReady(connection -> {
                party.meet.accept(connection.remote(), connection.privateData());
                Agreed.requireMtu(operation, connection.peer(), mtu, connection.pathMtu());
                Agreed.requireOuts(operation, connection.peer(), outs, connection.maxRdAtomic());
            });
    }

    /**
     * A QP that is to be connected.
     *
     * @param qp           the QP.
     * @param attributes   of the connection, beyond the usual ones.
     * @param introduction what the other side has to know.
     * @param meet         takes the address and the introduction of the other side, which may be of any program; the
     *                     last thing before both begin, when the QP takes receives.
     */
    record Party(QueuePair qp, QpAttributes attributes, byte[] introduction, BiConsumer<QpAddress, byte[]> meet) {
    }
}
