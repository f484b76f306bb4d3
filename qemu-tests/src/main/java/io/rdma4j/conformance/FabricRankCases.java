/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EAGAIN;
import static io.rdma4j.fabric.FiErrno.FI_EBADFD;
import static io.rdma4j.fabric.FiErrno.FI_ECANCELED;
import static io.rdma4j.fabric.FiErrno.FI_ECONNREFUSED;
import static io.rdma4j.fabric.FiErrno.FI_EHOSTUNREACH;

import io.rdma4j.fabric.AddressFormat;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.EndpointType;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.OperationKind;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** Reliable datagram endpoints as members of a job: many of them, connected on demand, some of which come and go. */
final class FabricRankCases {
    private static final int PAGE = 4096;
    private static final int RANKS = 4;
    private static final Duration TIMEOUT = Duration.ofMillis(400);

    private FabricRankCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("rdm.ranksAllToAll", FabricRankCases::allToAll).within(Duration.ofSeconds(40)),
            ConformanceCase.of("rdm.ranksThatConnectToEachOtherAtOnce", FabricRankCases::bothAtOnce),
            ConformanceCase.of("rdm.connectionsThatIdleAreClosedAndMadeAgain", FabricRankCases::idle)
                .within(Duration.ofSeconds(40)),
            ConformanceCase.of("rdm.peerThatWasRemovedIsReachedAgain", FabricRankCases::removed),
            ConformanceCase.of("rdm.peerThatEndedIsReplacedByAnother", FabricRankCases::replaced),
            ConformanceCase.of("rdm.peerThatRestartsUnderItsServiceIsFoundAgain", FabricRankCases::restarted),
            ConformanceCase.of("rdm.peerThatIsGoneFailsTheOperation", FabricRankCases::gone),
            ConformanceCase.of("rdm.peerWithAnotherKeyRefuses", FabricRankCases::otherKey),
            ConformanceCase.of("rdm.ownAddressWithAnotherQueueKeyIsNobodys", FabricRankCases::foreignKey),
            ConformanceCase.of("rdm.endpointThatClosesTellsOfWhatWasUnderWay", FabricRankCases::underWay),
            ConformanceCase.of("rdm.endpointsThatCloseGiveEverythingBack", FabricRankCases::close));
    }

    /** Every rank sends to every other one, round by round, as many as the device has room for. */
    private static void allToAll(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final List<Peer> ranks = group.join(RANKS);
        final List<FabricMemory> out = new ArrayList<>();
        final List<FabricMemory> in = new ArrayList<>();
        for (final Peer rank : ranks) {
            out.add(rank.buffer(RANKS * 256));
            in.add(rank.buffer(RANKS * 256));
        }
        for (int round = 0; round < env.times(2, 20); round++) {
            for (int me = 0; me < RANKS; me++) {
                for (int other = 0; other < RANKS; other++) {
                    ranks.get(me).receive(in.get(me), other * 256, 200, other);
                    out.get(me).fill(seed(me, other, round), other * 256, 200);
                }
            }
            for (int me = 0; me < RANKS; me++) {
                for (int step = 0; step < RANKS; step++) {
                    final int other = (me + step) % RANKS;
                    ranks.get(me).send(out.get(me), other * 256, 200, ranks.get(me).to(ranks.get(other)), 100 + other);
                }
            }
            for (int me = 0; me < RANKS; me++) {
                collect(env, ranks, me, in.get(me), round);
            }
        }
    }

    private static int seed(final int from, final int to, final int round) {
        return 1000 * from + 10 * to + round;
    }

    /** All sends of one rank are over, and in its memory is what each of the ranks, and no other, sent. */
    private static void collect(
        final ConformanceEnv env, final List<Peer> ranks, final int me, final FabricMemory in, final int round) {
        final Set<Long> sent = new HashSet<>();
        final Set<Long> from = new HashSet<>();
        for (int i = 0; i < 2 * RANKS; i++) {
            final FabricWc wc = ranks.get(me).next();
            Check.equal(0, wc.errno(), "errno of %s", wc);
            if (wc.kind() == OperationKind.SEND) {
                Check.that(sent.add(wc.context()), "%s came twice", wc);
                continue;
            }
            final int sender = senderOf(ranks, me, wc);
            Check.that(from.add((long) sender), "two messages of rank %d in one round: %s", sender, wc);
            in.expectPattern(seed(sender, me, round), (int) wc.context() * 256, 200,
                "rank " + me + ", message of rank " + sender);
            env.moved(200);
        }
        Check.equal(RANKS, sent.size(), "sends of rank %d that are over", me);
    }

    private static int senderOf(final List<Peer> ranks, final int me, final FabricWc wc) {
        for (int i = 0; i < ranks.size(); i++) {
            if (ranks.get(me).to(ranks.get(i)) == wc.source()) {
                return i;
            }
        }
        throw new AssertionError("nobody that rank " + me + " knows sent " + wc);
    }

    private static void bothAtOnce(final ConformanceEnv env) {
        for (int round = 0; round < env.times(2, 6); round++) {
            final PeerGroup group = PeerGroup.reliable(env);
            final Peer one = group.join();
            final Peer two = group.join();
            final FabricMemory oneMemory = one.buffer(PAGE);
            final FabricMemory twoMemory = two.buffer(PAGE);
            final long toTwo = one.to(two);
            final long toOne = two.to(one);
            one.receive(oneMemory, 0, 64, 1);
            two.receive(twoMemory, 0, 64, 1);
            // Nothing is read between the two.
            final int first = one.endpoint().send(oneMemory.at(100), 10, oneMemory.region(), toTwo, 2);
            final int second = two.endpoint().send(twoMemory.at(100), 10, twoMemory.region(), toOne, 2);
            Check.that(first == 0 || first == -FI_EAGAIN, "first message: %s", FiErrno.name(first));
            Check.that(second == 0 || second == -FI_EAGAIN, "first message back: %s", FiErrno.name(second));
            if (first != 0) {
                one.send(oneMemory, 100, 10, toTwo, 2);
            }
            if (second != 0) {
                two.send(twoMemory, 100, 10, toOne, 2);
            }
            expectBoth(one);
            expectBoth(two);
            one.expectMessagesFlow(two);
            two.expectMessagesFlow(one);
            List.of(one, two).forEach(peer -> {
                peer.endpoint().close();
                group.leave(peer);
            });
        }
    }

    private static void expectBoth(final Peer peer) {
        final Set<OperationKind> kinds = new HashSet<>();
        for (int i = 0; i < 2; i++) {
            final FabricWc wc = peer.next();
            Check.equal(0, wc.errno(), "errno of %s", wc);
            kinds.add(wc.kind());
        }
        Check.equal(Set.of(OperationKind.SEND, OperationKind.RECEIVE), kinds, "what completed");
    }

    /** More peers than connections that are kept; each of them again and again. */
    private static void idle(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join(options -> options.mostConnections(2));
        final List<Peer> others = group.join(4);
        final FabricMemory from = near.buffer(PAGE);
        for (int round = 0; round < env.times(2, 5); round++) {
            for (final Peer other : others) {
                near.exchange(other, from, other.buffer(PAGE), 70, 100 + round);
            }
        }
        for (final Peer other : others) {
            other.exchange(near, other.buffer(PAGE), from, 70, 50);
        }
    }

    private static void removed(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        final Peer far = group.join();
        for (int round = 0; round < 3; round++) {
            near.expectMessagesFlow(far);
            far.expectMessagesFlow(near);
            near.forget(far);
        }
        near.expectMessagesFlow(far);
    }

    private static void replaced(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        for (int round = 0; round < env.times(2, 5); round++) {
            final Peer far = group.join();
            near.expectMessagesFlow(far);
            far.expectMessagesFlow(near);
            near.forget(far);
            far.endpoint().close();
            group.leave(far);
        }
        near.expectMessagesFlow(group.join());
    }

    /** The vector has the name of a service; behind it is one endpoint, then another one. */
    private static void restarted(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env).wishing(hints ->
            hints.capabilities(Capability.MSG, Capability.SOURCE).addressFormat(AddressFormat.SOCKADDR_IN));
        final Peer near = group.join(options -> options.connectTimeout(env.patience(TIMEOUT)));
        final Peer first = group.join();
        final FabricAddress address = first.endpoint().address();
        final byte[] bytes = address.bytes();
        final String service = Integer.toString((bytes[2] & 0xff) << 8 | bytes[3] & 0xff);
        final long name = near.vector().insert(address);
        final FabricMemory from = near.buffer(PAGE);
        final FabricMemory to = first.buffer(PAGE);
        first.receive(to, 0, 64, 1);
        untilItGoes(env, near, from, name);
        first.next().expect(1, OperationKind.RECEIVE).expectLength(20);
        first.endpoint().close();
        group.leave(first);
        final Peer second = group.join(first.domain(), options -> options.service(service));
        Check.equal(address, second.endpoint().address(), "address of the new endpoint");
        final FabricMemory again = second.buffer(PAGE);
        second.receive(again, 0, 64, 2);
        untilItGoes(env, near, from, name);
        second.next().expect(2, OperationKind.RECEIVE).expectLength(20);
        near.receive(from, 64, 64, 3);
        second.send(again, 0, 30, second.to(near), 4);
        second.next().expect(4, OperationKind.SEND);
        Check.equal(name, near.next().expect(3, OperationKind.RECEIVE).source(), "source of the new endpoint");
    }

    /** Messages to one that was replaced may fail until it is found again, or as the time to connect is short. */
    private static void untilItGoes(
        final ConformanceEnv env, final Peer near, final FabricMemory from, final long name) {
        final long deadline = System.nanoTime() + env.patience(Duration.ofSeconds(8)).toNanos();
        for (int i = 0;; i++) {
            near.send(from, 0, 20, name, i);
            final FabricWc wc = near.next();
            Check.equal((long) i, wc.context(), "context of %s", wc);
            if (wc.errno() == 0) {
                return;
            }
            Check.that(System.nanoTime() - deadline < 0, "it is not found again: %s", wc);
            LockSupport.parkNanos(1_000_000);
        }
    }

    private static void gone(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join(options -> options.connectTimeout(env.patience(TIMEOUT)));
        final Peer far = group.join();
        final Peer good = group.join();
        final long name = near.to(far);
        final FabricMemory from = near.buffer(PAGE);
        // Connected before: the time to connect is short.
        good.receive(good.buffer(PAGE), 0, 64, 1);
        untilItGoes(env, near, from, near.to(good));
        good.next().expect(1, OperationKind.RECEIVE).expectLength(20);
        far.endpoint().close();
        group.leave(far);
        for (int round = 0; round < env.times(1, 2); round++) {
            near.send(from, 0, 10, name, 5);
            final FabricWc wc = near.next();
            Check.that(wc.errno() == FI_EHOSTUNREACH || wc.errno() == FI_ECONNREFUSED,
                "errno of an operation with somebody who is gone: %s", wc);
            wc.expectError(5, wc.errno());
        }
        near.expectMessagesFlow(good);
    }

    private static void foreignKey(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        final FabricAddress own = near.endpoint().address();
        final long nobody = near.vector().insert(
            FabricAddress.device(own.gid(), own.qpn(), own.qkey() ^ 1, EndpointType.RDM));
        final FabricMemory from = near.buffer(PAGE);
        near.receive(from, 64, 64, 4);
        near.send(from, 0, 10, nobody, 5);
        near.next().expectError(5, FI_EHOSTUNREACH);
        near.send(from, 0, 10, near.to(near), 6);
        Check.equal(0, near.next().errno(), "errno of one of the completions");
        Check.equal(0, near.next().errno(), "errno of the other one");
    }

    private static void otherKey(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join(options -> options.authKey(new byte[] {1, 2, 3}));
        final Peer far = group.join(options -> options.authKey(new byte[] {1, 2, 4}));
        final Peer same = group.join(options -> options.authKey(new byte[] {1, 2, 3}));
        final FabricMemory from = near.plain(PAGE);
        near.post(() -> near.endpoint().send(from.at(0), 10, null, near.to(far), 5), "send");
        near.next().expectError(5, FI_ECONNREFUSED);
        near.exchange(same, near.plain(PAGE), same.plain(PAGE), 70, 100);
    }

    /** Whatever was accepted is told of once: success or FI_ECANCELED. */
    private static void underWay(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        final Peer far = group.join();
        near.expectMessagesFlow(far);
        final FabricMemory from = near.buffer(PAGE);
        int accepted = 0;
        for (int i = 0; i < 6; i++) {
            final int context = i;
            if (near.endpoint().send(from.at(0), 64, from.region(), near.to(far), context) == 0) {
                accepted++;
            }
        }
        near.receive(from, 128, 64, 100);
        near.endpoint().close();
        final Set<Long> told = new HashSet<>();
        for (int i = 0; i < accepted + 1; i++) {
            final FabricWc wc = near.next();
            Check.that(told.add(wc.context()), "%s came twice", wc);
            Check.that(wc.errno() == FI_ECANCELED || wc.errno() == 0 && wc.context() < 100, "%s is neither", wc);
        }
        Check.that(told.contains(100L), "nothing was told of the receive: %s", told);
        FabricCheck.code(FI_EBADFD, near.endpoint().send(from.at(0), 8, from.region(), 0, 1), "a closed endpoint");
    }

    private static void close(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        for (int i = 0; i < env.times(2, 10); i++) {
            final Peer far = group.join(near.domain(), options -> options);
            near.expectMessagesFlow(far);
            far.expectMessagesFlow(near);
            near.forget(far);
            far.endpoint().close();
            far.endpoint().close();
            far.vector().close();
            far.cq().close();
            group.leave(far);
        }
    }
}
