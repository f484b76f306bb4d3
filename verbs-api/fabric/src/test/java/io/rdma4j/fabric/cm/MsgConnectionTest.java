/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import static io.rdma4j.fabric.Refusal.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.ConnectionRequest;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Hints;
import io.rdma4j.fabric.MsgEndpoint;
import io.rdma4j.fabric.PassiveEndpoint;
import io.rdma4j.fabric.region.EndpointHost;
import io.rdma4j.fabric.testing.TestDevices;
import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Connections of MSG endpoints by address: two devices, and nothing but datagrams between them. */
@Timeout(60)
final class MsgConnectionTest {
    private static final byte[] HELLO = "hello".getBytes(StandardCharsets.UTF_8);
    private static final byte[] LONG = new byte[MsgEndpoint.MAX_PRIVATE_DATA];

    @RegisterExtension
    final TestDevices devices = new TestDevices();

    private MsgNode a;
    private MsgNode b;

    @BeforeEach
    void open() {
        a = MsgNode.on(devices);
        b = MsgNode.on(devices);
        for (int i = 0; i < LONG.length; i++) {
            LONG[i] = (byte) (i + 1);
        }
    }

    private void send(final MsgNode from, final MsgEndpoint end, final MsgNode to, final MsgEndpoint other) {
        assertThat(other.receive(to.memory.buffer(), 0, 100, 7)).isZero();
        assertThat(end.send(from.memory.buffer(), 200, 50, 8)).isZero();
        from.awaitCompletion("SEND 8 FI_SUCCESS", to);
        to.awaitCompletion("RECEIVE 7 FI_SUCCESS", from);
    }

    @Test
    void connectsAndTellsBothSides() {
        final PassiveEndpoint passive = b.listen();
        final MsgEndpoint asker = a.open();
        asker.connect(passive.address(), HELLO);
        final EventEntry asked = b.await(FabricEvent.CONNREQ, a);
        assertThat(asked.fid()).isSameAs(passive);
        assertThat(asked.privateData()).isEqualTo(HELLO);
        final ConnectionRequest request = asked.request();
        assertThat(request.privateData()).isEqualTo(HELLO);
        assertThat(request.source()).isEqualTo(asker.address());
        assertThat(request.info()).isSameAs(b.info);
        final MsgEndpoint answerer = b.accept(request, LONG);
        final EventEntry connected = a.await(FabricEvent.CONNECTED, b);
        assertThat(connected.fid()).isSameAs(asker);
        assertThat(connected.isError()).isFalse();
        assertThat(connected.privateData()).isEqualTo(LONG);
        assertThat(b.await(FabricEvent.CONNECTED, a).fid()).isSameAs(answerer);
        assertThat(asker.isConnected()).isTrue();
        assertThat(answerer.isConnected()).isTrue();
        send(a, asker, b, answerer);
        send(b, answerer, a, asker);
    }

    @Test
    void bothSidesKnowTheAddressOfTheOther() {
        final MsgEndpoint alone = a.open();
        assertRefused(FiErrno.FI_ENOTCONN, alone::peerAddress);
        final MsgEndpoint[] ends = a.connect(b, b.listen());
        assertThat(ends[0].peerAddress()).isEqualTo(ends[1].address());
        assertThat(ends[1].peerAddress()).isEqualTo(ends[0].address());
        ends[1].shutdown();
        a.await(FabricEvent.SHUTDOWN, b);
        assertThat(ends[0].peerAddress()).isEqualTo(ends[1].address());
        ends[0].close();
        assertRefused(FiErrno.FI_EBADFD, ends[0]::peerAddress);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shuttingDownCancelsAndTellsThePeer(final boolean byAsker) {
        final MsgEndpoint[] ends = a.connect(b, b.listen());
        assertThat(ends[0].receive(a.memory.buffer(), 0, 100, 1)).isZero();
        assertThat(ends[1].receive(b.memory.buffer(), 0, 100, 2)).isZero();
        ends[byAsker ? 0 : 1].shutdown();
        final MsgNode peer = byAsker ? b : a;
        final EventEntry event = peer.await(FabricEvent.SHUTDOWN, a, b);
        assertThat(event.fid()).isSameAs(ends[byAsker ? 1 : 0]);
        assertThat(event.isError()).isFalse();
        a.awaitCompletion("RECEIVE 1 FI_ECANCELED", b);
        b.awaitCompletion("RECEIVE 2 FI_ECANCELED", a);
        for (final MsgEndpoint end : ends) {
            assertThat(end.isConnected()).isFalse();
            assertThat(end.send(a.memory.buffer(), 0, 8, 3)).isEqualTo(-FiErrno.FI_ENOTCONN);
            assertRefused(FiErrno.FI_ENOTCONN, end::shutdown);
        }
        assertThat(a.events).isEmpty();
        assertThat(b.events).isEmpty();
    }

    @Test
    void closingTellsThePeer() {
        final MsgEndpoint[] ends = a.connect(b, b.listen());
        ends[0].close();
        assertThat(b.await(FabricEvent.SHUTDOWN).fid()).isSameAs(ends[1]);
        assertThat(ends[1].isConnected()).isFalse();
        assertThat(ends[1].send(b.memory.buffer(), 0, 8, 3)).isEqualTo(-FiErrno.FI_ENOTCONN);
        assertThat(ends[1].receive(b.memory.buffer(), 0, 8, 3)).isEqualTo(-FiErrno.FI_ENOTCONN);
        assertThat(ends[1].inject(b.memory.buffer(), 0, 8)).isEqualTo(-FiErrno.FI_ENOTCONN);
        assertThat(ends[1].write(b.memory.address(), 8, null, 0, 1, 3)).isEqualTo(-FiErrno.FI_ENOTCONN);
        assertThat(b.done).isEmpty();
    }

    @Test
    void rejectingTellsWhy() {
        final PassiveEndpoint passive = b.listen();
        final MsgEndpoint asker = a.open();
        asker.connect(passive.address(), null);
        final ConnectionRequest request = b.await(FabricEvent.CONNREQ, a).request();
        assertThat(request.privateData()).isEmpty();
        request.reject(HELLO);
        final EventEntry refused = a.awaitError(FiErrno.FI_ECONNREFUSED, b);
        assertThat(refused.fid()).isSameAs(asker);
        assertThat(refused.privateData()).isEqualTo(HELLO);
        assertRefused(FiErrno.FI_EALREADY, () -> request.reject(null));
        final MsgEndpoint late = b.open(b.options().request(request));
        assertRefused(FiErrno.FI_EALREADY, () -> late.accept(null));
        // It may ask again.
        asker.connect(passive.address(), null);
        b.accept(b.await(FabricEvent.CONNREQ, a).request(), null);
        assertThat(a.await(FabricEvent.CONNECTED, b).isError()).isFalse();
    }

    @Test
    void aRequestIsAcceptedOnce() {
        a.open().connect(b.listen().address(), null);
        final ConnectionRequest request = b.await(FabricEvent.CONNREQ, a).request();
        final MsgEndpoint answerer = b.accept(request, null);
        assertRefused(FiErrno.FI_EALREADY, () -> answerer.accept(null));
        assertRefused(FiErrno.FI_EALREADY, () -> request.reject(null));
        final MsgEndpoint second = b.open(b.options().request(request));
        assertRefused(FiErrno.FI_EALREADY, () -> second.accept(null));
        assertThat(a.await(FabricEvent.CONNECTED, b).isError()).isFalse();
        assertRefused(FiErrno.FI_EALREADY, () -> answerer.accept(null));
    }

    @Test
    void whoDoesNotListenRefuses() {
        final PassiveEndpoint passive = b.fabric.openPassiveEndpoint(b.info, b.eq, null);
        b.keep(passive);
        a.open().connect(passive.address(), null);
        a.awaitError(FiErrno.FI_ECONNREFUSED, b);
        assertThat(b.events).isEmpty();
    }

    @Test
    void whoIsNotThereDoesNotAnswer() {
        final PassiveEndpoint passive = b.listen();
        final FabricAddress address = passive.address();
        passive.close();
        a.open(MsgNode.quick(a.options())).connect(address, null);
        a.awaitError(FiErrno.FI_ETIMEDOUT, b);
    }

    @Test
    void aRequestThatIsNotAnsweredIsVoid() {
        a.open(MsgNode.quick(a.options())).connect(b.listen().address(), null);
        final ConnectionRequest request = b.await(FabricEvent.CONNREQ, a).request();
        a.awaitError(FiErrno.FI_ETIMEDOUT, b);
        b.take();
        final MsgEndpoint late = b.open(b.options().request(request));
        assertRefused(FiErrno.FI_ETIMEDOUT, () -> late.accept(null));
        request.reject(null);
        b.take();
        a.take();
        assertThat(a.events).isEmpty();
    }

    @Test
    void aRequestThatIsTakenBackIsVoid() {
        final MsgEndpoint asker = a.open();
        asker.connect(b.listen().address(), null);
        final ConnectionRequest request = b.await(FabricEvent.CONNREQ, a).request();
        asker.close();
        b.take();
        final MsgEndpoint late = b.open(b.options().request(request));
        assertRefused(FiErrno.FI_ETIMEDOUT, () -> late.accept(null));
    }

    @Test
    void anAskerThatIsGoneEndsWhatWasAccepted() {
        final MsgEndpoint asker = a.open();
        asker.connect(b.listen().address(), null);
        final ConnectionRequest request = b.await(FabricEvent.CONNREQ, a).request();
        final MsgEndpoint answerer = b.accept(request, null);
        asker.close();
        assertThat(b.awaitError(FiErrno.FI_ECONNABORTED, a).fid()).isSameAs(answerer);
        assertThat(answerer.isConnected()).isFalse();
    }

    @Test
    void closingThePassiveEndpointRefusesWhatWaits() {
        final PassiveEndpoint passive = b.listen();
        a.open().connect(passive.address(), null);
        final MsgEndpoint kept = a.open();
        kept.connect(passive.address(), null);
        final ConnectionRequest request = b.await(FabricEvent.CONNREQ, a).request();
        final ConnectionRequest accepted = b.await(FabricEvent.CONNREQ, a).request();
        b.accept(accepted, null);
        passive.close();
        passive.close();
        assertThat(passive.isClosed()).isTrue();
        assertRefused(FiErrno.FI_EALREADY, () -> request.reject(null));
        assertRefused(FiErrno.FI_EBADFD, passive::listen);
        final Set<Integer> seen = new HashSet<>();
        seen.add(a.await(FabricEvent.CONNECTED, b).errno());
        seen.add(a.await(FabricEvent.CONNECTED, b).errno());
        assertThat(seen).containsExactlyInAnyOrder(0, FiErrno.FI_ECONNREFUSED);
        assertThat(b.await(FabricEvent.CONNECTED, a).isError()).isFalse();
    }

    @Test
    void anotherAuthorizationKeyIsRefused() {
        a.open(a.options().authKey(new byte[] {1})).connect(b.listen().address(), null);
        final ConnectionRequest request = b.await(FabricEvent.CONNREQ, a).request();
        final MsgEndpoint answerer = b.open(b.options().request(request).authKey(new byte[] {2}));
        assertRefused(FiErrno.FI_ECONNREFUSED, () -> answerer.accept(null));
        assertThat(a.awaitError(FiErrno.FI_ECONNREFUSED, b).providerError()).contains("authorization key");
    }

    /** Both sides are told what the matter is: which capabilities, or, before any of it is believed, which key. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messagesInPiecesOfOneSideAreRefused(final boolean byAsker) {
        final MsgNode tagged = MsgNode.on(devices, new Hints().capabilities(Capability.MSG, Capability.TAGGED));
        final MsgNode from = byAsker ? tagged : a;
        final MsgNode to = byAsker ? a : tagged;
        final PassiveEndpoint passive = to.listen();
        final MsgEndpoint asker = from.open();
        asker.connect(passive.address(), null);
        final MsgEndpoint answerer = to.open(to.options().request(to.await(FabricEvent.CONNREQ, from).request()));
        assertRefused(FiErrno.FI_ECONNREFUSED, () -> answerer.accept(null), "FI_TAGGED");
        assertThat(from.awaitError(FiErrno.FI_ECONNREFUSED, to).providerError()).contains("in pieces", "FI_TAGGED");
        asker.connect(passive.address(), null);
        final MsgEndpoint stranger = to.open(to.options().authKey(new byte[] {2})
            .request(to.await(FabricEvent.CONNREQ, from).request()));
        assertRefused(FiErrno.FI_ECONNREFUSED, () -> stranger.accept(null), "authorization key");
        assertThat(from.awaitError(FiErrno.FI_ECONNREFUSED, to).providerError()).contains("authorization key");
    }

    @Test
    void theSameAuthorizationKeyIsNot() {
        a.open(a.options().authKey(new byte[] {1})).connect(b.listen().address(), null);
        final ConnectionRequest request = b.await(FabricEvent.CONNREQ, a).request();
        b.open(b.options().request(request).authKey(new byte[] {1})).accept(null);
        assertThat(a.await(FabricEvent.CONNECTED, b).isError()).isFalse();
        assertThat(b.await(FabricEvent.CONNECTED, a).isError()).isFalse();
    }

    @Test
    void aNodeCanConnectWithItself() {
        a.connect(a, a.listen());
    }

    /** Each try gets through half of the time, and the time of 11 tries, the usual one, would fail one run in 100. */
    @Test
    void badDatagramsOnlyDelay() {
        final Duration patient = Patience.duration();
        final AtomicInteger seeds = new AtomicInteger();
        final MsgConnections asking = new MsgConnections((EndpointHost) a.domain, a.fabric,
            port -> new LossyEnd(port, seeds.incrementAndGet(), 30));
        final MsgConnections answering = new MsgConnections((EndpointHost) b.domain, b.fabric,
            port -> new LossyEnd(port, seeds.incrementAndGet(), 30));
        final PassiveListener passive = PassiveListener.open((EndpointHost) b.domain, b.eq, null, closed -> { },
            port -> new LossyEnd(port, seeds.incrementAndGet(), 30));
        passive.listen();
        final int count = 40;
        final List<MsgEndpoint> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final MsgEndpoint asker = asking.open(a.options().connectTimeout(patient));
            all.add(asker);
            asker.connect(passive.address(), new byte[] {(byte) i});
        }
        for (int i = 0; i < count; i++) {
            final ConnectionRequest request = b.pick(FabricEvent.CONNREQ, a).request();
            final MsgEndpoint answerer = answering.open(b.options().request(request).connectTimeout(patient));
            all.add(answerer);
            if (request.privateData()[0] % 4 == 3) {
                request.reject(request.privateData());
            } else {
                answerer.accept(request.privateData());
            }
        }
        int accepted = 0;
        for (int i = 0; i < count; i++) {
            final EventEntry event = a.await(FabricEvent.CONNECTED, b);
            final boolean refused = event.privateData()[0] % 4 == 3;
            assertThat(event.errno()).isEqualTo(refused ? FiErrno.FI_ECONNREFUSED : 0);
            accepted += refused ? 0 : 1;
        }
        assertThat(accepted).isEqualTo(count * 3 / 4);
        for (int i = 0; i < accepted; i++) {
            assertThat(b.await(FabricEvent.CONNECTED, a).isError()).isFalse();
        }
        assertThat(all.stream().filter(MsgEndpoint::isConnected).count()).isEqualTo(2L * accepted);
        all.forEach(MsgEndpoint::close);
        passive.close();
    }

    @Test
    void manyAskOneAtOnce() {
        final PassiveEndpoint passive = b.listen();
        final int count = 150;
        for (int i = 0; i < count; i++) {
            a.open().connect(passive.address(), null);
        }
        for (int i = 0; i < count; i++) {
            b.accept(b.pick(FabricEvent.CONNREQ, a).request(), null);
        }
        for (int i = 0; i < count; i++) {
            assertThat(a.await(FabricEvent.CONNECTED, b).isError()).isFalse();
        }
        assertThat(b.endpoints).allMatch(MsgEndpoint::isConnected);
    }

    /** No thread reads but the one that waits: a datagram ends its sleep. */
    @Test
    void whoWaitsForEventsIsWokenUp() throws InterruptedException {
        final PassiveEndpoint passive = b.listen();
        final List<EventEntry> seen = new ArrayList<>();
        final Thread waiter = new Thread(() -> b.eq.awaitRead(seen::add, 1, Patience.duration()));
        waiter.start();
        Thread.sleep(50);
        a.open().connect(passive.address(), null);
        Patience.join(waiter);
        assertThat(seen).hasSize(1);
        seen.get(0).request().reject(null);
        a.awaitError(FiErrno.FI_ECONNREFUSED, b);
    }

    /** Who reads completions finds it out, and wakes up who sleeps at the event queue. */
    @Test
    void whoWaitsForEventsIsToldThatThePeerVanished() throws InterruptedException {
        final MsgNode c = MsgNode.on(devices);
        final MsgEndpoint[] ends = a.connect(c, c.listen());
        c.context.close();
        final List<EventEntry> seen = new ArrayList<>();
        final Thread waiter = new Thread(() -> a.eq.awaitRead(seen::add, 1, Patience.duration()));
        waiter.start();
        final long deadline = System.nanoTime() + Patience.nanos();
        while (waiter.getState() != Thread.State.TIMED_WAITING && System.nanoTime() < deadline) {
            Patience.pause();
        }
        assertThat(ends[0].send(a.memory.buffer(), 0, 8, 5)).isZero();
        a.untilCompletionsTell(ends[0]);
        Patience.join(waiter, a::toString);
        assertThat(seen).singleElement().matches(event -> event.event() == FabricEvent.SHUTDOWN);
    }

    @Test
    void aPeerThatVanishedIsFoundOutBySending() {
        final MsgNode c = MsgNode.on(devices);
        final MsgEndpoint[] ends = a.connect(c, c.listen());
        c.context.close();
        assertThat(ends[0].send(a.memory.buffer(), 0, 8, 5)).isZero();
        a.untilItWasSilentForLong();
        assertThat(a.await(FabricEvent.SHUTDOWN).fid()).isSameAs(ends[0]);
        a.awaitCompletion("SEND 5 FI_ETIMEDOUT");
        assertThat(ends[0].isConnected()).isFalse();
    }

    /** A message that is too long is the end of messages alone, as far as the device goes. */
    @Test
    void whatIsLeftEndsWithThePartThatFailed() {
        final MsgEndpoint[] ends = a.connect(b, b.listen());
        assertThat(ends[1].receive(b.memory.buffer(), 0, 8, 1)).isZero();
        assertThat(ends[0].send(a.memory.buffer(), 0, 9, 2)).isZero();
        assertThat(a.await(FabricEvent.SHUTDOWN, b).fid()).isSameAs(ends[0]);
        assertThat(b.await(FabricEvent.SHUTDOWN, a).fid()).isSameAs(ends[1]);
        for (final MsgEndpoint end : ends) {
            assertThat(end.write(a.memory.address(), 8, null, 0, 1, 3)).isEqualTo(-FiErrno.FI_ENOTCONN);
        }
    }

    @Test
    void garbageIsIgnored() {
        final PassiveEndpoint passive = b.listen();
        final FabricAddress to = passive.address();
        final EndpointHost host = (EndpointHost) a.domain;
        final io.rdma4j.fabric.region.Realm realm = host.openRealm(null);
        try (UdPort port = UdPort.open(host, realm, 5, 4)) {
            final java.util.Random random = new java.util.Random(3);
            final org.agrona.concurrent.UnsafeBuffer bytes = new org.agrona.concurrent.UnsafeBuffer(new byte[512]);
            for (int i = 0; i < 2_000; i++) {
                random.nextBytes(bytes.byteArray());
                while (port.send(to.gid().high(), to.gid().low(), to.qpn(), to.qkey(), bytes, 0, random.nextInt(513))
                    == -FiErrno.FI_EAGAIN) {
                    port.poll((high, low, qpn, buffer, offset, length) -> { }, 16);
                }
                b.take();
            }
        }
        realm.release();
        assertThat(b.events).isEmpty();
        a.connect(b, passive);
    }

    @Test
    void misuseIsRefused() {
        final PassiveEndpoint passive = b.listen();
        final MsgEndpoint none = a.open(a.options().eventQueue(null));
        assertRefused(FiErrno.FI_ENOEQ, () -> none.connect(passive.address(), null));
        final MsgEndpoint asker = a.open();
        assertRefused(FiErrno.FI_EINVAL, () -> asker.connect((FabricAddress) null, null));
        assertRefused(FiErrno.FI_EINVAL, () -> asker.connect(passive.address(), new byte[257]));
        assertRefused(FiErrno.FI_EINVAL, () -> asker.connect(
            FabricAddress.device(passive.address().gid(), 1, 1, EndpointType.RDM), null));
        assertRefused(FiErrno.FI_EOPBADSTATE, () -> asker.accept(null));
        assertRefused(FiErrno.FI_ENOTCONN, asker::shutdown);
        assertRefused(FiErrno.FI_EINVAL, () -> a.open(a.options().eventQueue(b.eq)));
        assertRefused(FiErrno.FI_EINVAL, () -> a.open(a.options().connectTimeout(Duration.ZERO)));
        assertRefused(FiErrno.FI_EINVAL, () -> a.open(a.options().connectTimeout(null)));
        asker.connect(passive.address(), null);
        assertRefused(FiErrno.FI_EALREADY, () -> asker.connect(passive.address(), null));
        assertRefused(FiErrno.FI_EBUSY, a.eq::close);
        final ConnectionRequest request = b.await(FabricEvent.CONNREQ, a).request();
        assertRefused(FiErrno.FI_EINVAL, () -> request.reject(new byte[257]));
        final MsgEndpoint answerer = b.open(b.options().request(request));
        assertRefused(FiErrno.FI_EINVAL, () -> answerer.accept(new byte[257]));
        assertRefused(FiErrno.FI_EOPBADSTATE, () -> answerer.connect(passive.address(), null));
        final MsgEndpoint quiet = b.open(b.options().request(request).eventQueue(null));
        assertRefused(FiErrno.FI_ENOEQ, () -> quiet.accept(null));
        answerer.accept(null);
        a.await(FabricEvent.CONNECTED, b);
        assertRefused(FiErrno.FI_EISCONN, () -> asker.connect(passive.address(), null));
        assertRefused(FiErrno.FI_EISCONN, () -> asker.connect(answerer.name()));
        asker.close();
        assertRefused(FiErrno.FI_EBADFD, () -> asker.connect(passive.address(), null));
        assertRefused(FiErrno.FI_EBADFD, asker::shutdown);
        assertRefused(FiErrno.FI_EBADFD, () -> asker.accept(null));
    }

    @Test
    void openingAPassiveEndpointChecks() {
        assertRefused(FiErrno.FI_ENOEQ, () -> b.fabric.openPassiveEndpoint(b.info, null, null));
        assertRefused(FiErrno.FI_EINVAL, () -> b.fabric.openPassiveEndpoint(null, b.eq, null));
        assertRefused(FiErrno.FI_EINVAL, () -> b.fabric.openPassiveEndpoint(a.info, b.eq, null));
        assertRefused(FiErrno.FI_EINVAL, () -> b.fabric.openPassiveEndpoint(b.info, a.eq, null));
        final PassiveEndpoint passive = b.listen();
        assertRefused(FiErrno.FI_EBUSY, b.fabric::close);
        assertRefused(FiErrno.FI_EBUSY, b.eq::close);
        passive.close();
    }

    @Test
    void nothingIsLeft() {
        final PassiveEndpoint passive = b.listen();
        String before = "";
        for (int i = 0; i < 40; i++) {
            final MsgEndpoint[] ends = a.connect(b, passive);
            ends[0].close();
            b.await(FabricEvent.SHUTDOWN, a);
            ends[1].close();
            final String now = a.objects() + b.objects();
            before = i == 0 ? now : before;
            assertThat(now).isEqualTo(before);
        }
    }
}
