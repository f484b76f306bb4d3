/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.fabric.testing.Done;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections are made, refused, broken, closed when idle, and made again. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RdmConnectionsTest {
    @RegisterExtension
    final World world = new World();

    private static void talk(final Rank a, final Rank b, final long toB) {
        b.post(() -> b.ep.receive(b.at(0), 64, b.region, FiAddr.UNSPEC, 21));
        assertThat(a.succeeds(() -> a.ep.send(a.at(0), 32, a.region, toB, 22)).context()).isEqualTo(22);
        final Done got = b.next();
        assertThat(got.errno()).as("%s", got).isZero();
        assertThat(got.context()).isEqualTo(21);
        assertThat(got.length()).isEqualTo(32);
    }

    /** The same by one who gives up soon: on a busy machine that may be too soon for a peer that is there. */
    private static void talkAtLast(final Rank a, final Rank b, final long toB) {
        b.post(() -> b.ep.receive(b.at(0), 64, b.region, FiAddr.UNSPEC, 21));
        final Done[] sent = new Done[1];
        Await.until(Duration.ofSeconds(60), () -> a + " reaches " + b, () -> {
            a.post(() -> a.ep.send(a.at(0), 32, a.region, toB, 22));
            sent[0] = a.next();
            return sent[0].errno() != FiErrno.FI_EHOSTUNREACH;
        });
        assertThat(sent[0].errno()).as("%s", sent[0]).isZero();
        assertThat(b.next().context()).isEqualTo(21);
    }

    @Test
    void aPeerThatIsNotThereFailsTheFirstOperation() {
        final Rank a = world.rank(world.device(""), World.options().connectTimeout(Duration.ofMillis(200)));
        final long nobody = a.av.insert(FabricAddress.device(a.ep.address().gid(), 77, 5, EndpointType.RDM));
        a.fails(FiErrno.FI_EHOSTUNREACH, () -> a.ep.send(a.at(0), 8, a.region, nobody, 1));
        final Done again = a.fails(FiErrno.FI_EHOSTUNREACH, () -> a.ep.send(a.at(0), 8, a.region, nobody, 2));
        assertThat(again.context()).isEqualTo(2);
        assertThat(a.ep.send(a.at(0), 8, a.region, nobody, 3)).as("one waits").isZero();
        assertThat(a.ep.send(a.at(0), 8, a.region, nobody, 4)).isEqualTo(-FiErrno.FI_EAGAIN);
        assertThat(a.ep.write(a.at(0), 8, a.region, nobody, 0, 0, 5)).isEqualTo(-FiErrno.FI_EAGAIN);
    }

    @Test
    void aGidThatNobodyHasFailsAtOnce() {
        final Rank a = world.rank(world.device(""), World.options().connectTimeout(Duration.ofDays(1)));
        final long nobody = a.av.insert(FabricAddress.device(new Gid(0xfe80L << 48, 0x1234), 77, 5, EndpointType.RDM));
        a.fails(FiErrno.FI_EHOSTUNREACH, () -> a.ep.send(a.at(0), 8, a.region, nobody, 1));
        a.fails(FiErrno.FI_EHOSTUNREACH, () -> a.ep.write(a.at(0), 8, a.region, nobody, 0, 0, 2));
        final RdmaContext brief = world.device("");
        final Rank b = world.rank(brief, World.options());
        final long toB = a.knows(b);
        b.close();
        brief.close();
        a.fails(FiErrno.FI_EHOSTUNREACH, () -> a.ep.send(a.at(0), 8, a.region, toB, 3));
    }

    @Test
    void aTimeoutBeyondTheClockIsForEver() {
        final Rank[] both = world.pair(world.device(""), world.device(""),
            World.options().connectTimeout(Duration.ofSeconds(Long.MAX_VALUE)), World.options());
        talk(both[0], both[1], both[0].knows(both[1]));
    }

    private static FabricAddress withAnotherKey(final Rank rank) {
        final FabricAddress own = rank.ep.address();
        return FabricAddress.device(own.gid(), own.qpn(), own.qkey() ^ 1, EndpointType.RDM);
    }

    @Test
    void theOwnAddressWithAnotherQueueKeyIsNobodys() {
        final Rank a = world.rank(world.device(""), World.options());
        final long stranger = a.av.insert(withAnotherKey(a));
        final long self = a.av.insert(a.ep.address());
        a.post(() -> a.ep.receive(a.at(64), 64, a.region, FiAddr.UNSPEC, 1));
        assertThat(a.fails(FiErrno.FI_EHOSTUNREACH, () -> a.ep.send(a.at(0), 8, a.region, stranger, 2)).context())
            .isEqualTo(2);
        a.post(() -> a.ep.send(a.at(0), 8, a.region, self, 3));
        a.until(() -> a.done.size() == 2);
        assertThat(a.done).allMatch(one -> one.errno() == 0).extracting(Done::context)
            .containsExactlyInAnyOrder(1L, 3L);
        assertThat(a.done).filteredOn(one -> one.kind() == OperationKind.RECEIVE).extracting(Done::source)
            .containsExactly(self);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void addressesThatDifferInTheQueueKeyAreDifferentPeers(final boolean strangerFirst) {
        final RdmaContext device = world.device("");
        final Rank a = world.rank(device, World.options().connectTimeout(Duration.ofMillis(300)));
        final Rank b = world.rank(device, World.options());
        world.acquainted(a, b);
        final long first = a.av.insert(strangerFirst ? withAnotherKey(b) : b.ep.address());
        final long second = a.av.insert(strangerFirst ? b.ep.address() : withAnotherKey(b));
        final long toB = strangerFirst ? second : first;
        final long stranger = strangerFirst ? first : second;
        talkAtLast(a, b, toB);
        b.post(() -> b.ep.receive(b.at(0), 64, b.region, FiAddr.UNSPEC, 31));
        a.fails(FiErrno.FI_EHOSTUNREACH, () -> a.ep.send(a.at(0), 8, a.region, stranger, 32));
        assertThat(b.done).isEmpty();
        a.succeeds(() -> a.ep.send(a.at(0), 9, a.region, toB, 33));
        assertThat(b.next().length()).isEqualTo(9);
        final long toA = b.knows(a);
        a.post(() -> a.ep.receive(a.at(64), 64, a.region, FiAddr.UNSPEC, 34));
        b.succeeds(() -> b.ep.send(b.at(0), 10, b.region, toA, 35));
        assertThat(a.next().source()).isEqualTo(toB);
    }

    @Test
    void anotherAuthorizationKeyIsRefused() {
        final RdmaContext device = world.device("");
        final Rank[] both = world.pair(device, device, World.options().authKey(new byte[] {1}),
            World.options().authKey(new byte[] {2}));
        final Rank a = both[0];
        final long toB = a.knows(both[1]);
        a.fails(FiErrno.FI_ECONNREFUSED, () -> a.ep.send(a.at(0), 8, null, toB, 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", World.QEMU})
    void bothMayBeginAtOnce(final String device) {
        final Rank[] both = world.pair(device);
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        final long toA = b.knows(a);
        a.post(() -> a.ep.receive(a.at(64), 64, a.region, FiAddr.UNSPEC, 1));
        b.post(() -> b.ep.receive(b.at(64), 64, b.region, FiAddr.UNSPEC, 2));
        assertThat(a.ep.send(a.at(0), 8, a.region, toB, 3)).isZero();
        assertThat(b.ep.send(b.at(0), 9, b.region, toA, 4)).isZero();
        a.until(() -> a.done.size() == 2 && b.done.size() == 2);
        assertThat(a.done).extracting(Done::context).containsExactlyInAnyOrder(1L, 3L);
        assertThat(b.done).extracting(Done::context).containsExactlyInAnyOrder(2L, 4L);
        a.done.clear();
        b.done.clear();
        talk(a, b, toB);
        talk(b, a, toA);
    }

    @Test
    void aPeerThatClosesFailsWhatIsUnderWayAndCanComeAgain() {
        final RdmaContext device = world.device("");
        final Rank a = world.rank(device, World.options().connectTimeout(Duration.ofMillis(300)));
        final Rank b = world.rank(device, World.options());
        world.acquainted(a, b);
        final long toB = a.knows(b);
        talkAtLast(a, b, toB);
        // Does not fit the window: it is under way until b takes it.
        a.post(() -> a.ep.send(a.at(0), 200_000, a.region, toB, 9));
        for (int i = 0; i < 50; i++) {
            a.progress();
        }
        a.others.clear();
        b.close();
        final Done failed = a.next();
        assertThat(FiErrno.name(failed.errno())).isEqualTo("FI_ECONNRESET");
        assertThat(failed.context()).isEqualTo(9);
        a.fails(FiErrno.FI_EHOSTUNREACH, () -> a.ep.send(a.at(0), 8, a.region, toB, 10));
        final Rank c = world.rank(device, World.options());
        a.others.add(c);
        c.others.add(a);
        talkAtLast(a, c, a.knows(c));
    }

    @Test
    void aPeerThatWasRemovedAndInsertedIsReachedAgain() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        talk(a, b, toB);
        a.av.remove(new long[] {toB}, 1, 0);
        assertThat(a.ep.send(a.at(0), 8, a.region, toB, 1)).isEqualTo(-FiErrno.FI_EINVAL);
        final long again = a.knows(b);
        talk(a, b, again);
        final long toA = b.knows(a);
        a.post(() -> a.ep.receive(a.at(0), 64, a.region, FiAddr.UNSPEC, 5));
        b.succeeds(() -> b.ep.send(b.at(0), 8, b.region, toA, 6));
        assertThat(a.next().source()).isEqualTo(again);
    }

    @Test
    void idleConnectionsAreClosedBeyondTheLimitAndMadeAgain() {
        final int peers = 6;
        final RdmaContext device = world.device("");
        final Rank hub = world.rank(device, World.options().mostConnections(2));
        final Rank[] others = new Rank[peers];
        final long[] names = new long[peers];
        for (int i = 0; i < peers; i++) {
            others[i] = world.rank(device, World.options());
            hub.others.add(others[i]);
            others[i].others.add(hub);
            names[i] = hub.knows(others[i]);
        }
        for (int round = 0; round < 20; round++) {
            final int i = round * 5 % peers;
            talk(hub, others[i], names[i]);
            for (int n = 0; n < 100; n++) {
                hub.progress();
            }
            assertThat(((RdmEndpoint) hub.ep).connections()).as("round %d of %s", round, hub).isBetween(1, 2);
        }
    }

    @Test
    void aConnectionWithAMessageThatWaitsStays() {
        final RdmaContext device = world.device("");
        final Rank hub = world.rank(device, World.options().mostConnections(2));
        final Rank[] others = new Rank[4];
        for (int i = 0; i < others.length; i++) {
            others[i] = world.rank(device, World.options());
            hub.others.add(others[i]);
        }
        for (final Rank other : others) {
            final long name = hub.knows(other);
            hub.succeeds(() -> hub.ep.send(hub.at(0), 16, hub.region, name, 1));
        }
        for (int n = 0; n < 200; n++) {
            hub.progress();
        }
        assertThat(((RdmEndpoint) hub.ep).connections()).as("nobody has taken anything").isEqualTo(4);
        for (final Rank other : others) {
            other.post(() -> other.ep.receive(other.at(0), 64, other.region, FiAddr.UNSPEC, 3));
            assertThat(other.next().length()).isEqualTo(16);
        }
        hub.until(() -> ((RdmEndpoint) hub.ep).connections() <= 2);
    }

    @Test
    void closingReportsAllThatIsUnderWay() {
        final Rank[] both = world.pair("");
        final Rank a = both[0];
        final Rank b = both[1];
        final long toB = a.knows(b);
        talk(a, b, toB);
        a.post(() -> a.ep.receive(a.at(0), 8, a.region, FiAddr.UNSPEC, 1));
        a.post(() -> a.ep.receive(a.at(0), 8, a.region, FiAddr.UNSPEC, 2));
        a.post(() -> a.ep.send(a.at(0), 200_000, a.region, toB, 3));
        final long nobody = a.av.insert(FabricAddress.device(a.ep.address().gid(), 77, 5, EndpointType.RDM));
        a.post(() -> a.ep.send(a.at(0), 8, a.region, nobody, 4));
        a.ep.close();
        a.ep.close();
        a.until(() -> a.done.size() == 4);
        assertThat(a.done).allMatch(one -> one.errno() == FiErrno.FI_ECANCELED);
        assertThat(a.done).extracting(Done::context).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
        assertThat(a.ep.send(a.at(0), 8, a.region, toB, 1)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(a.ep.receive(a.at(0), 8, a.region, FiAddr.UNSPEC, 1)).isEqualTo(-FiErrno.FI_EBADFD);
        assertThat(a.ep.cancel(1)).isEqualTo(-FiErrno.FI_EBADFD);
    }

    @Test
    void messagesThatCameBeforeThePeerClosedCanBeReceived() {
        final RdmaContext device = world.device("");
        final Rank a = world.rank(device, World.options());
        final Rank b = world.rank(device, World.options());
        world.acquainted(a, b);
        final long toB = a.knows(b);
        talk(a, b, toB);
        a.bytes.putLong(0, 4711);
        for (int i = 0; i < 3; i++) {
            a.succeeds(() -> a.ep.send(a.at(0), 8, a.region, toB, 1));
        }
        b.others.clear();
        a.close();
        for (int i = 0; i < 50; i++) {
            b.progress();
        }
        for (int i = 0; i < 3; i++) {
            b.bytes.putLong(0, 0);
            b.post(() -> b.ep.receive(b.at(0), 8, b.region, FiAddr.UNSPEC, 1));
            assertThat(b.next().length()).isEqualTo(8);
            assertThat(b.bytes.getLong(0)).isEqualTo(4711);
        }
    }

    private Rank messages(final String device) {
        final RdmaContext context = world.device(device);
        return world.rank(context, World.hints(context).capabilities(Capability.MSG), World.options(),
            new AvAttributes());
    }

    /** Of three queue pairs one is for datagrams, so that there are two links. The peer of the one says no goodbye. */
    @Test
    void anIdlePeerThatDoesNotLookKeepsNobodyOut() {
        final Rank hub = messages("max_qp=4");
        final Rank silent = messages("");
        final Rank other = messages("");
        final Rank third = messages("");
        world.acquainted(hub, silent, other, third);
        talk(hub, silent, hub.knows(silent));
        talk(hub, other, hub.knows(other));
        hub.others.remove(silent);
        talk(hub, third, hub.knows(third));
    }

    /** Each of them needs the place of another one. */
    @Test
    void twoNewPeersAtOnceBothFindRoom() {
        final Rank hub = messages("max_qp=4");
        final Rank[] peers = {messages(""), messages(""), messages(""), messages("")};
        world.acquainted(hub, peers[0], peers[1], peers[2], peers[3]);
        talk(hub, peers[0], hub.knows(peers[0]));
        talk(hub, peers[1], hub.knows(peers[1]));
        for (int i = 2; i < 4; i++) {
            final long to = hub.knows(peers[i]);
            hub.post(() -> hub.ep.send(hub.at(0), 8, hub.region, to, 1));
        }
        for (int i = 2; i < 4; i++) {
            final Done done = hub.next();
            assertThat(done.errno()).as("%s", done).isZero();
        }
    }

    @Test
    void whoIsAskedMakesRoomAsWell() {
        final Rank hub = messages("max_qp=4");
        final Rank[] clients = {messages(""), messages(""), messages(""), messages("")};
        world.acquainted(hub, clients[0], clients[1], clients[2], clients[3]);
        for (final Rank client : clients) {
            talk(client, hub, client.knows(hub));
        }
    }

    @Test
    void endpointsShareVectorAndQueue() {
        final RdmaContext device = world.device("");
        final Rank a = world.rank(device, World.options());
        final Rank b = world.rank(device, World.options());
        world.acquainted(a, b);
        final var second = a.keep(a.domain.openAddressedEndpoint(
            World.options().completionQueue(a.cq).addressVector(a.av).sizes(8, 8)));
        final long toB = a.knows(b);
        final long toFirst = b.av.insert(a.ep.address());
        final long toSecond = b.av.insert(second.address());
        talk(a, b, toB);
        b.post(() -> b.ep.receive(b.at(0), 64, b.region, FiAddr.UNSPEC, 1));
        a.succeeds(() -> second.send(a.at(0), 8, a.region, toB, 5));
        assertThat(b.next().source()).isEqualTo(toSecond);
        a.post(() -> a.ep.receive(a.at(0), 64, a.region, FiAddr.UNSPEC, 31));
        a.post(() -> second.receive(a.at(64), 64, a.region, FiAddr.UNSPEC, 32));
        b.succeeds(() -> b.ep.send(b.at(0), 8, b.region, toSecond, 1));
        assertThat(a.next().context()).isEqualTo(32);
        b.succeeds(() -> b.ep.send(b.at(0), 8, b.region, toFirst, 1));
        assertThat(a.next().context()).isEqualTo(31);
    }

    @Test
    void manyPeersAreReachedFromOne() {
        final int peers = TestBudget.rounds(80, 200);
        final RdmaContext device = world.device("");
        final Rank hub = world.rank(device, new EndpointOptions().sizes(256, 256).window(4, 256)
            .connectTimeout(Await.LONG));
        final long[] names = new long[peers];
        for (int i = 0; i < peers; i++) {
            final var ep = hub.keep(hub.domain.openAddressedEndpoint(new EndpointOptions().completionQueue(hub.cq)
                .addressVector(hub.av).sizes(4, 4).window(4, 256).connectTimeout(Await.LONG)));
            names[i] = hub.av.insert(ep.address());
            final int n = i;
            hub.post(() -> ep.receive(hub.at(64 * n), 64, hub.region, FiAddr.UNSPEC, n));
        }
        for (int i = 0; i < peers; i++) {
            final int n = i;
            hub.post(() -> hub.ep.send(hub.at(0), 16, hub.region, names[n], 1000 + n));
        }
        hub.until(() -> hub.done.size() == 2 * peers || hub.done.stream().anyMatch(one -> one.errno() != 0));
        assertThat(hub.done).allMatch(one -> one.errno() == 0);
        assertThat(hub.done.stream().filter(one -> one.kind() == OperationKind.RECEIVE).mapToLong(Done::context)
            .sum()).isEqualTo(peers * (peers - 1L) / 2);
        assertThat(((RdmEndpoint) hub.ep).connections()).isEqualTo(peers);
    }

    @Test
    void aVectorWithAnEndpointStaysOpen() {
        final Rank a = world.rank(world.device(""), World.options());
        assertThat(org.assertj.core.api.Assertions.catchThrowableOfType(io.rdma4j.fabric.FabricException.class,
            a.av::close).errno()).isEqualTo(FiErrno.FI_EBUSY);
        assertThat(new AvAttributes()).isNotNull();
    }
}
