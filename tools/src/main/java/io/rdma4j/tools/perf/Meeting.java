/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.verbs.ConnectOptions;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.RdmaConnector;
import io.rdma4j.verbs.RdmaListener;

import java.net.InetSocketAddress;
import java.util.List;

/** Makes two ends known to each other: of this process, or of two over TCP, one connection after the other. */
final class Meeting {
    private static final Lent NOTHING = new Lent(0, 0);

    private final End end;
    private final PerfOptions options;

    Meeting(final End end, final PerfOptions options) {
        this.end = end;
        this.options = options;
    }

    static void here(final End near, final End far, final PerfOptions options) {
        final Mtu asked = options.queues().mtu();
        final Mtu mtu = asked != null ? asked : smaller(activeMtu(near), activeMtu(far));
        connect(near, near.control().qp(), far, far.control().qp(), mtu);
        near.control().listen();
        far.control().listen();
        for (int i = 0; i < near.lanes().size(); i++) {
            final Lane one = near.lanes().get(i);
            final Lane other = far.lanes().get(i);
            connect(near, one.qp(), far, other.qp(), mtu);
            one.meet(other.lent());
            other.meet(one.lent());
        }
        near.listen();
        far.listen();
    }

    private static void connect(
        final End near, final QueuePair one, final End far, final QueuePair other, final Mtu mtu) {
        QpConnector.connect(other, one.localAddress(), far.attributes(mtu));
        QpConnector.connect(one, other.localAddress(), near.attributes(mtu));
    }

    private static Mtu activeMtu(final End end) {
        return end.context().queryPort(1).activeMtu();
    }

    private static Mtu smaller(final Mtu one, final Mtu other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    void connect(final InetSocketAddress to) {
        RdmaConnector.connect(end.control().qp(), to, words());
        final List<Lane> lanes = end.lanes();
        for (int i = 0; i < lanes.size(); i++) {
            RdmaConnector.connect(lanes.get(i).qp(), to, lane(i));
        }
    }

    /**
     * Waits for the other end.
     *
     * @return where it is.
     */
    InetSocketAddress accept(final RdmaListener listener) {
        final InetSocketAddress peer = listener.accept(end.control().qp(), words()).peer();
        final List<Lane> lanes = end.lanes();
        for (int i = 0; i < lanes.size(); i++) {
            listener.accept(lanes.get(i).qp(), lane(i));
        }
        return peer;
    }

    private ConnectOptions words() {
        final Hello hello = Hello.of(0, options, NOTHING);
        return with(hello).beforeReady(connection -> {
            hello.requireMatch(Hello.parse(connection.privateData()));
            end.control().listen();
        });
    }

    private ConnectOptions lane(final int index) {
        final Lane lane = end.lanes().get(index);
        final Hello hello = Hello.of(1 + index, options, lane.lent());
        return with(hello).beforeReady(connection -> {
            final Hello theirs = Hello.parse(connection.privateData());
            hello.requireMatch(theirs);
            lane.meet(theirs.lent());
            end.listen(lane);
        });
    }

    private ConnectOptions with(final Hello hello) {
        return new ConnectOptions().timeout(options.timeout()).privateData(hello.toBytes())
            .attributes(end.attributes(options.queues().mtu()));
    }
}
