/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rdma4j.RdmaException;

import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The handshake of links, over datagrams that may get lost. */
@Timeout(60)
final class LinkBrokerTest {
    private final LossyNet net = new LossyNet(1);
    private final LinkWorld world = new LinkWorld(net);

    /** Each is the other end of the other, and no others are open. */
    private void assertLinked(final LinkWorld.Node a, final LinkWorld.Node b) {
        final LinkWorld.End one = a.linkTo(b.port.qpn());
        final LinkWorld.End other = b.linkTo(a.port.qpn());
        assertNotNull(one, world::describe);
        assertNotNull(other, world::describe);
        assertEquals(one.other, other.id, world::describe);
        assertEquals(other.other, one.id, world::describe);
        assertEquals(1, a.links.get(b.port.qpn()).size(), world::describe);
        assertEquals(1, b.links.get(a.port.qpn()).size(), world::describe);
    }

    /** They are, and there is nothing else. */
    private void assertOnlyLinked(final LinkWorld.Node a, final LinkWorld.Node b) {
        assertLinked(a, b);
        assertOpen(2);
    }

    private static void hangUp(final LinkWorld.Node node, final Peer peer, final boolean tell) {
        node.broker.hangUp(peer, tell);
        node.drop(peer);
    }

    private void assertOpen(final int count) {
        assertEquals(count, world.open.size(), world::describe);
    }

    @Test
    void dialingMakesOneLink() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        final Peer peer = a.dial(4);
        assertNull(peer.link());
        assertSame(peer, a.dial(4));
        world.run(50);
        assertOnlyLinked(a, b);
        assertEquals(List.of("dialed 4"), a.log);
        assertEquals(List.of("answered 2"), b.log);
        assertSame(peer, a.dial(4));
        assertSame(a.linkTo(4), peer.link());
        assertEquals(Long.MAX_VALUE, a.broker.idleNanos(world.now));
        assertEquals(Long.MAX_VALUE, b.broker.idleNanos(world.now));
    }

    @Test
    void requestsAreRepeatedUntilTheyAreHeard() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        b.port.deaf(true);
        a.dial(4);
        world.run(1_000);
        assertOpen(1);
        b.port.deaf(false);
        world.run(1_000);
        assertLinked(a, b);
    }

    @Test
    void theFullQueueOfAPortOnlyDelays() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        a.port.refuse(5);
        b.port.refuse(1);
        a.dial(4);
        assertEquals(0, a.broker.idleNanos(world.now));
        world.run(100);
        assertLinked(a, b);
    }

    @Test
    void whoDoesNotAnswerFailsAtTheDeadline() {
        final LinkWorld.Node a = world.node(2);
        a.dial(4);
        world.run(1_900);
        assertEquals(List.of(), a.log);
        world.run(200);
        assertEquals(List.of("failed 4 FI_ETIMEDOUT"), a.log);
        assertOpen(0);
        assertNull(a.broker.find(LossyNet.key(4)));
        assertFalse(a.broker.progress(world.now));
    }

    @Test
    void bothMayDialAtOnce() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        a.dial(4);
        b.dial(2);
        world.run(200);
        assertOnlyLinked(a, b);
        assertEquals(List.of("dialed 4"), a.log, "the smaller one goes on");
        assertEquals(List.of("answered 2"), b.log);
    }

    @Test
    void theSmallerOneIsNotHeardButAnswers() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        b.port.deaf(true);
        a.dial(4);
        b.dial(2);
        world.run(500);
        assertOpen(2);
        b.port.deaf(false);
        world.run(1_000);
        assertOnlyLinked(a, b);
    }

    /** A link takes queue pairs, and anybody may ask for one: those who only ask get some in all. */
    @Test
    void linksOfThoseWhoOnlyAskAreLimited() {
        final LinkWorld.Node b = world.node(4);
        for (int i = 0; i < 3 * LinkBroker.MOST_HALF_OPEN; i++) {
            final LinkWorld.Node asker = world.node(100 + i);
            asker.dial(4);
            asker.crash();
        }
        world.run(500);
        assertOpen(LinkBroker.MOST_HALF_OPEN);
        final LinkWorld.Node a = world.node(2);
        a.dial(4);
        world.run(500);
        assertNull(a.linkTo(4), "there is no room yet");
        world.run(1_490);
        assertLinked(a, b);
        world.run(500);
        assertOpen(2);
    }

    /** A device drops what has a foreign queue key: it is another peer's, or nobody's. */
    @Test
    void anotherQueueKeyIsAnotherPeer() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        final PeerId key = LossyNet.key(4);
        a.broker.dial(new PeerId(key.gidHigh(), key.gidLow(), 4, 0x55));
        world.run(500);
        a.dial(4);
        world.run(100);
        assertEquals(List.of("dialed 4"), a.log);
        assertEquals(List.of("answered 2"), b.log);
        world.run(2_000);
        assertEquals(List.of("dialed 4", "failed 4 FI_ETIMEDOUT"), a.log);
        assertOnlyLinked(a, b);
    }

    /** A queue pair has one queue key: who answers with another one is all that is there. */
    @Test
    void whoBeganAnewWithAnotherQueueKeyEndsTheLinkBefore() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        a.dial(4);
        world.run(50);
        assertLinked(a, b);
        b.crash();
        final LinkWorld.Node again = world.node(4, 0, 0x55);
        again.dial(2);
        world.run(100);
        assertEquals(List.of("dialed 4", "ended 4", "answered 4"), a.log);
        assertOnlyLinked(a, again);
    }

    @Test
    void anEndpointCanDialItself() {
        final LinkWorld.Node a = world.node(2);
        final Peer peer = a.dial(2);
        world.run(100);
        assertEquals(List.of("dialed 2", "answered 2"), a.log, world::describe);
        assertEquals(2, a.links.get(2).size());
        assertEquals(a.links.get(2).get(0).other, a.links.get(2).get(1).id);
        hangUp(a, peer, true);
        world.run(100);
        assertOpen(0);
        a.dial(2);
        world.run(100);
        assertOpen(2);
    }

    @Test
    void anotherAuthorizationKeyIsRefused() {
        final LinkWorld.Node a = world.node(2, 1);
        final LinkWorld.Node b = world.node(4, 2);
        a.dial(4);
        world.run(100);
        assertEquals(List.of("failed 4 FI_ECONNREFUSED"), a.log);
        assertEquals(List.of(), b.log);
        assertOpen(0);
    }

    @Test
    void whoHasNoRoomIsAskedAgain() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        b.room = 0;
        a.dial(4);
        world.run(500);
        assertEquals(List.of(), a.log);
        b.room = 1;
        world.run(1_400);
        assertLinked(a, b);
    }

    @Test
    void whoHasNoRoomHimselfFailsAtOnce() {
        final LinkWorld.Node a = world.node(2);
        a.room = 0;
        a.dial(4);
        assertEquals(List.of("failed 4 FI_ENOMEM"), a.log);
        assertOpen(0);
    }

    @Test
    void aLinkThatCannotBeConnectedIsGivenBack() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        a.failsToConnect = true;
        a.dial(4);
        world.run(100);
        assertEquals(List.of("failed 4 FI_EIO"), a.log);
        assertOpen(0);
        assertEquals(List.of(), b.log);
        b.failsToConnect = true;
        a.failsToConnect = false;
        a.dial(4);
        world.run(3_000);
        assertEquals(List.of("failed 4 FI_EIO", "failed 4 FI_ETIMEDOUT"), a.log);
        assertOpen(0);
    }

    @Test
    void aPeerThatBeganAnewReplacesItsLink() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        a.dial(4);
        world.run(50);
        assertLinked(a, b);
        b.crash();
        final LinkWorld.Node again = world.node(4);
        again.dial(2);
        world.run(100);
        assertOnlyLinked(a, again);
        assertEquals(List.of("dialed 4", "replaced 4", "answered 4"), a.log);
    }

    @Test
    void aRequestOfAnEarlierLifeReplacesNothing() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        b.dial(2);
        final byte[] late = a.port.waiting().get(0);
        b.crash();
        final LinkWorld.Node again = world.node(4);
        again.dial(2);
        world.run(100);
        assertLinked(a, again);
        final LinkWorld.End link = a.linkTo(4);
        a.port.inject(4, late);
        world.run(5_000);
        assertSame(link, a.linkTo(4), world::describe);
        assertOnlyLinked(a, again);
    }

    @Test
    void doublesAndLateDatagramsOfTheSameLifeChangeNothing() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        final Peer first = a.dial(4);
        final byte[] early = b.port.waiting().get(0);
        a.broker.hangUp(first, false);
        a.dial(4);
        world.run(100);
        assertLinked(a, b);
        final LinkWorld.End link = b.linkTo(2);
        b.port.inject(2, early);
        b.port.inject(2, early);
        world.run(100);
        assertSame(link, b.linkTo(2));
        assertOpen(2);
        assertTrue(b.broker.ignored() >= 2, world::describe);
    }

    @Test
    void aDialerThatDiedIsForgotten() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        a.dial(4);
        b.broker.progress(world.now);
        assertOpen(2);
        a.crash();
        assertOpen(1);
        world.run(3_000);
        assertOpen(0);
        assertEquals(List.of(), b.log, "it was never there");
    }

    @Test
    void whoWantsALinkDialsWhenTheOtherSidesComesToNothing() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        a.dial(4);
        b.broker.progress(world.now);
        a.crash();
        world.run(1_000);
        b.dial(2);
        assertOpen(1);
        final LinkWorld.Node again = world.node(2);
        world.run(1_900);
        assertOnlyLinked(again, b);
        assertEquals(List.of("dialed 2"), b.log);
    }

    @Test
    void whenThePeersDialingComesToNothingTheTimeThatIsLeftIsForDialing() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        a.dial(4);
        b.broker.progress(world.now);
        a.crash();
        world.run(1_000);
        b.dial(2);
        world.run(1_900);
        assertEquals(List.of(), b.log);
        assertOpen(1);
        world.run(200);
        assertEquals(List.of("failed 2 FI_ETIMEDOUT"), b.log);
        assertOpen(0);
    }

    /** It dials again and again, and what it is answered is lost. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoWantsALinkWaitsForThePeersNoLongerThanForItsOwn(final boolean crossing) {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        a.redials = true;
        a.port.deaf(true);
        if (crossing) {
            b.dial(2);
        }
        a.dial(4);
        world.run(50);
        b.dial(2);
        world.run(1_850);
        assertEquals(List.of(), b.log);
        world.run(300);
        assertEquals(List.of("failed 2 FI_ETIMEDOUT"), b.log);
        b.dial(2);
        world.run(1_000);
        a.port.deaf(false);
        world.run(900);
        assertLinked(a, b);
    }

    /** What becomes of the peer's dialing is heard, or the peer has died. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoWantsALinkDialsAlsoWhenThePeersCannotBeClosed(final boolean heard) {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        final Peer peer = a.dial(4);
        b.broker.progress(world.now);
        b.dial(2);
        b.linksRefuseToClose();
        if (heard) {
            a.broker.hangUp(peer, true);
        } else {
            a.crash();
        }
        assertThrows(RdmaException.class, () -> world.run(5_000));
        world.run(5_000);
        if (heard) {
            assertOnlyLinked(a, b);
        } else {
            assertEquals(List.of("failed 2 FI_ETIMEDOUT"), b.log);
            assertOpen(0);
        }
    }

    @Test
    void aDialedLinkThatCannotBeClosedKeepsNobodyWaiting() {
        final LinkWorld.Node b = world.node(4);
        final LinkWorld.Node c = world.node(8);
        c.port.deaf(true);
        b.dial(8);
        b.dial(2);
        b.linksRefuseToClose();
        world.run(500);
        b.dial(6);
        c.port.deaf(false);
        // As 8 is not waited for any more 6 takes its place, behind 2.
        assertThrows(RdmaException.class, () -> world.run(5_000));
        assertEquals(List.of("dialed 8", "failed 2 FI_ETIMEDOUT"), b.log);
        assertNull(b.broker.find(LossyNet.key(2)));
        world.run(550);
        assertEquals(List.of("dialed 8", "failed 2 FI_ETIMEDOUT", "failed 6 FI_ETIMEDOUT"), b.log);
        assertLinked(b, c);
    }

    @Test
    void aLinkThatCanNeitherBeConnectedNorClosedHasFailed() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        a.failsToConnect = true;
        a.dial(4);
        a.linksRefuseToClose();
        assertThrows(RdmaException.class, () -> world.run(100));
        assertEquals(List.of("failed 4 FI_EIO"), a.log);
        world.run(100);
        assertOpen(0);
        assertEquals(List.of(), b.log);
    }

    @Test
    void whoHangsUpIsNotToldThatALinkCannotBeClosedButWhoLooksAfterItIs() {
        final LinkWorld.Node a = world.node(2);
        final Peer peer = a.dial(4);
        a.linksRefuseToClose();
        a.broker.hangUp(peer, true);
        assertNull(a.broker.find(LossyNet.key(4)));
        assertThrows(RdmaException.class, () -> world.run(5));
        world.run(100);
        assertOpen(0);
    }

    @Test
    void closingGivesAllBackThoughNoneCanBeClosed() {
        final LinkWorld.Node a = world.node(2);
        a.dial(4);
        a.dial(6);
        a.dial(8);
        a.linksRefuseToClose();
        final RdmaException first = assertThrows(RdmaException.class, a.broker::close);
        assertEquals(2, first.getSuppressed().length);
        assertOpen(0);
        a.broker.close();
    }

    @Test
    void hangingUpTellsThePeerIfAsked() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        final Peer peer = a.dial(4);
        world.run(50);
        hangUp(a, peer, true);
        world.run(50);
        assertEquals(List.of("answered 2", "ended 2"), b.log);
        assertOpen(0);
        assertNotSame(peer, a.dial(4));
        world.run(50);
        assertLinked(a, b);
    }

    @Test
    void whoWasNotToldHearsItWithTheNextLink() {
        final LinkWorld.Node a = world.node(2);
        final LinkWorld.Node b = world.node(4);
        final Peer peer = a.dial(4);
        world.run(50);
        hangUp(a, peer, false);
        a.dial(4);
        world.run(50);
        assertLinked(a, b);
        assertEquals(List.of("answered 2", "replaced 2", "answered 2"), b.log);
        assertOpen(2);
    }

    @Test
    void closingTellsAllPeersAndGivesAllBack() {
        final LinkWorld.Node a = world.node(2);
        for (int i = 0; i < 100; i++) {
            world.node(100 + i);
            a.dial(100 + i);
        }
        world.run(100);
        assertOpen(200);
        a.dial(3);
        a.port.refuse(50);
        a.broker.close();
        a.broker.close();
        List.copyOf(a.links.values()).forEach(ends -> ends.forEach(LinkWorld.End::close));
        world.run(100);
        assertOpen(0);
        assertFalse(a.broker.progress(world.now));
        assertEquals(Long.MAX_VALUE, a.broker.idleNanos(world.now));
    }

    @Test
    void aThousandPeersAtOneWithASmallQueue() {
        net.capacity(64);
        final LinkWorld.Node a = world.node(2);
        final int count = 1_000;
        for (int i = 0; i < count; i++) {
            final LinkWorld.Node node = world.node(100 + i);
            node.redials = true;
            node.dial(2);
        }
        for (int i = 0; i < 2_000 && a.links.size() < count; i++) {
            world.step(5 * LinkWorld.MILLI);
        }
        assertEquals(count, a.links.size(), net::toString);
        assertOpen(2 * count);
    }

    /** All at once, more than the port takes: those that were lost together are not to come again together. */
    @Test
    void eachOfAThousandGetsItsLinkTheFirstTimeItDials() {
        net.capacity(64);
        final LinkWorld.Node a = world.node(2);
        dialedBy(1_000);
        world.run(2_500);
        assertAllLinked(a, 1_000);
    }

    /** Until shortly before their time is over all places are taken by others. */
    @Test
    void whoHeardThatThereIsNoRoomAsksAgainSoon() {
        final LinkWorld.Node a = world.node(2);
        for (int i = 0; i < LinkBroker.MOST_HALF_OPEN; i++) {
            final LinkWorld.Node asker = world.node(10_000 + i);
            asker.dial(2);
            asker.crash();
        }
        world.run(600);
        dialedBy(500);
        world.run(1_200);
        assertEquals(0, a.links.size(), "there is no room yet");
        world.run(800);
        assertAllLinked(a, 500);
    }

    private void dialedBy(final int count) {
        for (int i = 0; i < count; i++) {
            world.node(100 + i).dial(2);
        }
    }

    /** None had to dial twice. */
    private void assertAllLinked(final LinkWorld.Node hub, final int count) {
        for (int i = 0; i < count; i++) {
            assertEquals(List.of("dialed 2"), world.nodes.get(100 + i).log, net::toString);
        }
        assertEquals(count, hub.links.size(), net::toString);
        assertOpen(2 * count);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void afterAnyDisorderAllAreLinkedOnce(final long seed) {
        final Random random = new Random(seed);
        final LossyNet bad = new LossyNet(seed).bad(30, 30, true);
        final LinkWorld disorder = new LinkWorld(bad);
        final int count = 6;
        for (int i = 0; i < count; i++) {
            disorder.node(2 + i).redials = true;
        }
        for (int i = 0; i < 3_000; i++) {
            mess(disorder, random, count);
            disorder.step(random.nextInt(20) * LinkWorld.MILLI);
            breakStaleLinks(disorder);
        }
        bad.bad(0, 0, false);
        for (int round = 0; round < 3; round++) {
            disorder.run(3_000);
            breakStaleLinks(disorder);
            dialAll(disorder, count);
        }
        disorder.run(10_000);
        breakStaleLinks(disorder);
        disorder.run(3_000);
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < i; j++) {
                final LinkWorld.End one = disorder.nodes.get(2 + i).linkTo(2 + j);
                final LinkWorld.End other = disorder.nodes.get(2 + j).linkTo(2 + i);
                assertNotNull(one, () -> "seed " + seed + "\n" + disorder.describe());
                assertNotNull(other, () -> "seed " + seed + "\n" + disorder.describe());
                assertEquals(one.other, other.id, () -> "seed " + seed + "\n" + disorder.describe());
            }
        }
        assertEquals(count * (count - 1), disorder.open.size(), () -> "seed " + seed + "\n" + disorder.describe());
    }

    private static void dialAll(final LinkWorld world, final int count) {
        for (int i = 0; i < count; i++) {
            for (int j = 0; j < count; j++) {
                if (i != j) {
                    world.nodes.get(2 + i).dial(2 + j);
                }
            }
        }
    }

    private static void mess(final LinkWorld world, final Random random, final int count) {
        final int from = 2 + random.nextInt(count);
        final int to = 2 + random.nextInt(count);
        final LinkWorld.Node node = world.nodes.get(from);
        switch (random.nextInt(40)) {
            case 0 -> {
                node.crash();
                world.node(from).redials = true;
            }
            case 1, 2 -> {
                final LinkWorld.End end = node.linkTo(to);
                if (end != null && from != to) {
                    hangUp(node, end.peer, random.nextBoolean());
                }
            }
            default -> {
                if (from != to) {
                    node.dial(to);
                }
            }
        }
    }

    /** What the device would find out sooner or later: the other end is gone. */
    private static void breakStaleLinks(final LinkWorld world) {
        for (final LinkWorld.Node node : List.copyOf(world.nodes.values())) {
            for (final List<LinkWorld.End> ends : List.copyOf(node.links.values())) {
                final LinkWorld.End end = ends.get(0);
                final LinkWorld.End other = world.open.get(end.other);
                if (other == null || other.other != end.id) {
                    node.broken(end);
                }
            }
        }
    }
}
