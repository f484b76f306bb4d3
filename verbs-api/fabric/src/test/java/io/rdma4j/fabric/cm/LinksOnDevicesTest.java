/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.completion.FabricCompletionQueue;
import io.rdma4j.fabric.endpoint.Endpoints;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.region.Realm;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Links of connected endpoints on two devices, made by brokers over their datagram ports. */
@Timeout(60)
final class LinksOnDevicesTest {
    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private MsgNode a;
    private MsgNode b;
    private End one;
    private End other;

    @BeforeEach
    void open() {
        a = MsgNode.on(devices);
        b = MsgNode.on(devices);
        one = devices.keep(new End(a, null));
        other = devices.keep(new End(b, null));
    }

    private void progressUntil(final BooleanSupplier done) {
        Await.until(() -> one + "\n" + other, () -> {
            one.progress();
            other.progress();
            return done.getAsBoolean();
        });
    }

    /** One end of a link. */
    private static final class Line implements Link {
        private final MsgEndpoint endpoint;
        private final Peer peer;

        Line(final MsgEndpoint endpoint, final Peer peer) {
            this.endpoint = endpoint;
            this.peer = peer;
        }

        @Override
        public byte[] name() {
            return endpoint.name();
        }

        @Override
        public void connect(final byte[] peerName) {
            endpoint.connect(peerName);
        }

        @Override
        public void close() {
            endpoint.close();
        }
    }

    /** What an RDM endpoint does with its broker, and no more. */
    private static final class End implements LinkOwner, AutoCloseable {
        private final MsgNode node;
        private final Realm realm;
        private final EndpointHost host;
        private final byte[] authKey;
        private final FabricCompletionQueue queue;
        private final UdPort port;
        private final LinkBroker broker;
        private final List<String> log = new ArrayList<>();
        private final List<Line> lines = new ArrayList<>();

        End(final MsgNode node, final byte[] authKey) {
            this.node = node;
            this.authKey = authKey;
            host = (EndpointHost) node.domain;
            realm = host.openRealm(authKey);
            queue = FabricCompletionQueue.internal(host, 64);
            port = UdPort.open(host, realm, 99, 64);
            broker = new LinkBroker(port, this, realm, Patience.duration());
        }

        Peer dial(final End to) {
            return broker.dial(PeerId.of(to.port));
        }

        void progress() {
            final int code = queue.read(entry -> {
                if (entry.context() >= 1_000 && entry.errno() == 0) {
                    final Line line = lines.get((int) entry.context() - 1_000);
                    broker.confirm(line.peer, line);
                }
            }, 16);
            assertThat(code).isNotNegative();
            broker.progress(System.nanoTime());
        }

        @Override
        public Link openLink(final Peer peer) {
            final Line line = new Line(Endpoints.openEndpoint(host,
                new EndpointOptions().completionQueue(queue).sizes(4, 4).authKey(authKey)), peer);
            lines.add(line);
            assertThat(line.endpoint.receive(node.memory.buffer(), 0, 64, 999 + lines.size())).isZero();
            return line;
        }

        @Override
        public boolean mayAnswer(final PeerId id, final byte[] told) {
            return true;
        }

        @Override
        public void established(final Peer peer, final Link link, final boolean initiator) {
            log.add(initiator ? "dialed" : "answered");
            if (initiator) {
                assertThat(((Line) link).endpoint.send(node.memory.buffer(), 64, 32, 1)).isZero();
            }
        }

        @Override
        public void failed(final Peer peer, final int errno) {
            log.add(FiErrno.name(errno));
        }

        @Override
        public void replaced(final Peer peer) {
            log.add("replaced");
        }

        @Override
        public void ended(final Peer peer) {
            log.add("ended");
        }

        @Override
        public void close() {
            broker.close();
            lines.forEach(Line::close);
            port.close();
            queue.close();
            realm.release();
        }

        @Override
        public String toString() {
            return broker + " " + log + " " + port;
        }
    }

    @Test
    void linksCarryTheFirstMessage() {
        final Peer peer = one.dial(other);
        progressUntil(() -> other.log.size() == 1);
        assertThat(one.log).containsExactly("dialed");
        assertThat(other.log).containsExactly("answered");
        assertThat(peer.link()).isSameAs(one.lines.get(0));
        one.broker.close();
        progressUntil(() -> other.log.size() == 2);
        assertThat(other.log).containsExactly("answered", "ended");
    }

    @Test
    void bothMayDialAtOnce() {
        one.dial(other);
        other.dial(one);
        progressUntil(() -> one.log.size() + other.log.size() == 2);
        assertThat(one.lines.size() + other.lines.size()).isEqualTo(2);
        assertThat(one.log).isNotEqualTo(other.log);
    }

    @Test
    void anEndpointCanDialItself() {
        one.dial(one);
        progressUntil(() -> one.log.size() == 2);
        assertThat(one.log).containsExactly("dialed", "answered");
    }

    @Test
    void anotherAuthorizationKeyIsRefusedBeforeAnythingIsMade() {
        try (End stranger = new End(a, new byte[] {9})) {
            stranger.dial(other);
            progressUntil(() -> {
                stranger.progress();
                return !stranger.log.isEmpty();
            });
            assertThat(stranger.log).containsExactly("FI_ECONNREFUSED");
            assertThat(other.lines).isEmpty();
        }
    }

    @Test
    void anEndpointThatBeganAnewReplacesItsLink() {
        one.dial(other);
        progressUntil(() -> other.log.size() == 1);
        final End again = new End(a, null);
        again.dial(other);
        progressUntil(() -> {
            again.progress();
            return other.log.size() == 2;
        });
        assertThat(other.log).as("another queue pair is another peer").containsExactly("answered", "answered");
        again.close();
    }

    /** A connected endpoint that takes it for a passive one. */
    @Test
    void otherKindsAreRefused() {
        final MsgEndpoint asker = a.open();
        asker.connect(FabricAddress.device(other.port.gid(), other.port.qpn(), 99, EndpointType.MSG), null);
        progressUntil(() -> {
            a.take();
            return !a.events.isEmpty();
        });
        assertThat(a.awaitError(FiErrno.FI_ECONNREFUSED).providerError()).contains("another kind");
        final FabricAddress passive = b.listen().address();
        one.broker.dial(new PeerId(passive.gid().high(), passive.gid().low(), passive.qpn(), passive.qkey()));
        progressUntil(() -> {
            b.take();
            return !one.log.isEmpty();
        });
        assertThat(one.log).containsExactly("FI_ECONNREFUSED");
        assertThat(b.events).isEmpty();
    }

    @Test
    void whoSleepsIsWokenUpByADatagram() {
        assertThat(other.broker.arm()).isZero();
        assertThat(other.port.cq().awaitEvent(Duration.ofMillis(1))).isFalse();
        one.dial(other);
        assertThat(other.port.cq().awaitEvent(Patience.duration())).isTrue();
        other.broker.arm();
        assertThat(other.lines).hasSize(1);
        one.broker.hangUp(one.broker.find(PeerId.of(other.port)), false);
        one.dial(other);
        assertThat(other.broker.arm()).as("it has come already").isEqualTo(-FiErrno.FI_EAGAIN);
        progressUntil(() -> other.log.size() == 1);
    }

    @Test
    void timeoutsMakeSense() {
        for (final Duration bad : new Duration[] {null, Duration.ZERO, Duration.ofSeconds(-1)}) {
            assertThatThrownBy(() -> new LinkBroker(one.port, one, one.realm, bad))
                .isInstanceOf(FabricException.class);
        }
        new LinkBroker(one.port, one, one.realm, Duration.ofSeconds(Long.MAX_VALUE)).close();
    }
}
