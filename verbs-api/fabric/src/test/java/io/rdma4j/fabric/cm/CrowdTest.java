/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.ConnectionRequest;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.PassiveEndpoint;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** More connections at once than a datagram port has room for, and what others do meanwhile. */
@Timeout(120)
final class CrowdTest {
    /** A port has 64 sends under way. */
    private static final int MANY = 100;
    private static final byte[] WHY = "full".getBytes(StandardCharsets.UTF_8);

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private final MsgNode a = MsgNode.on(devices);
    private final MsgNode b = MsgNode.on(devices);

    @Test
    void eachPeerOfManyHearsThatItsConnectionWasShutDown() {
        final PassiveEndpoint passive = b.listen();
        final List<MsgEndpoint> mine = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            mine.add(a.connect(b, passive)[0]);
        }
        mine.forEach(MsgEndpoint::shutdown);
        mine.forEach(MsgEndpoint::close);
        for (int i = 0; i < MANY; i++) {
            b.await(FabricEvent.SHUTDOWN);
        }
    }

    @Test
    void eachOfManyHearsThatItWasRejectedAlsoIfNobodyListensAnyMore() {
        final PassiveEndpoint passive = b.listen();
        final List<ConnectionRequest> requests = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            a.open().connect(passive.address(), null);
            requests.add(b.await(FabricEvent.CONNREQ, a).request());
        }
        requests.forEach(request -> request.reject(WHY));
        passive.close();
        for (int i = 0; i < MANY; i++) {
            assertThat(a.awaitError(FiErrno.FI_ECONNREFUSED).privateData()).isEqualTo(WHY);
        }
    }

    @Test
    void requestsThatWereAnsweredLeaveRoomForOthers() {
        final PassiveEndpoint passive = b.listen();
        final PeerId to = new PeerId(passive.address().gid().high(), passive.address().gid().low(),
            passive.address().qpn(), passive.address().qkey());
        final byte[] name = a.open().name();
        final Realm realm = ((EndpointHost) a.domain).openRealm(null);
        try (UdPort port = UdPort.open((EndpointHost) a.domain, realm, 5, 64)) {
            final Mailer mailer = new Mailer(port);
            for (int i = 0; i <= PassiveListener.MOST_PENDING; i++) {
                final ConnectMessage request = ConnectMessage.of(ConnectType.REQUEST, EndpointType.MSG,
                    new ConnectIds(7, i + 1, 0, 0), PeerId.of(port))
                    .withName(name, PassiveListener.LONGEST_MILLIS * 1_000_000L);
                Await.until(passive::toString, () -> mailer.send(request, to) == 0 || poll(port));
                b.await(FabricEvent.CONNREQ).request().reject(null);
                poll(port);
            }
        } finally {
            realm.release();
        }
    }

    private static boolean poll(final UdPort port) {
        port.poll((high, low, qpn, buffer, offset, length) -> { }, 16);
        return false;
    }

    @Test
    void whoClosesHearsNothingOfItAlsoIfAnotherThreadReadsEvents() throws Exception {
        final MsgConnections connections =
            new MsgConnections((EndpointHost) a.domain, a.fabric, UnaryOperator.identity());
        final MsgEndpoint asker = connections.open(a.options());
        a.keep(asker).connect(b.listen().address(), null);
        b.accept(b.await(FabricEvent.CONNREQ, a).request(), null);
        a.await(FabricEvent.CONNECTED, b);
        final Thread closer = new Thread(asker::close);
        connections.lock().lock();
        try {
            closer.start();
            Await.until(asker::toString, asker::isClosed);
            final List<EventEntry> events = new ArrayList<>();
            a.eq.read(events::add, 16);
            assertThat(events).isEmpty();
        } finally {
            connections.lock().unlock();
        }
        Patience.join(closer);
    }
}
