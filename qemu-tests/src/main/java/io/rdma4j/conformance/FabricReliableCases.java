/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EAGAIN;
import static io.rdma4j.fabric.FiErrno.FI_ECANCELED;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;
import static io.rdma4j.fabric.FiErrno.FI_ENOENT;
import static io.rdma4j.fabric.FiErrno.FI_EOPNOTSUPP;
import static io.rdma4j.fabric.FiErrno.FI_ETRUNC;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvAttributes;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.CompletionQueue;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.fabric.ReceiveContext;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/** Reliable datagram endpoints: messages of every kind, and how receives find theirs. */
final class FabricReliableCases {
    private static final int PAGE = 4096;
    private static final int BIG = 1 << 20;
    private static final Duration QUIET = Duration.ofMillis(30);

    private FabricReliableCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("rdm.messageOfAnySize", FabricReliableCases::sizes),
            ConformanceCase.of("rdm.messageWithoutDescriptors", FabricReliableCases::cached),
            ConformanceCase.of("rdm.messageWithData", FabricReliableCases::withData),
            ConformanceCase.of("rdm.messageIsInjectedAtOnce", FabricReliableCases::inject),
            ConformanceCase.of("rdm.messageOfSeveralBuffers", FabricReliableCases::vectors),
            ConformanceCase.of("rdm.messagesKeepTheirOrder", FabricReliableCases::order),
            ConformanceCase.of("rdm.messagesWaitForTheirReceive", FabricReliableCases::unexpected),
            ConformanceCase.of("rdm.messagesAtRandomBothWays", FabricReliableCases::random)
                .within(Duration.ofSeconds(40)),
            ConformanceCase.of("rdm.messageToItself", FabricReliableCases::toItself),
            ConformanceCase.of("rdm.messageLongerThanItsReceiveIsAnError", FabricReliableCases::truncated),
            ConformanceCase.of("rdm.slowReceiverStopsItsSender", FabricReliableCases::flowControl),
            ConformanceCase.of("rdm.slowReceiverStopsNobodyElse", FabricReliableCases::noHeadOfLine),
            ConformanceCase.of("rdm.receiveIsDirected", FabricReliableCases::directed),
            ConformanceCase.of("rdm.receiveIsTakenBack", FabricReliableCases::cancel),
            ConformanceCase.of("rdm.receiveContextsAreSeparate", FabricReliableCases::contexts),
            ConformanceCase.of("rdm.sourceIsToldByNameOrUserId", FabricReliableCases::source),
            ConformanceCase.of("rdm.namesThatAreNotThereAreRefused", FabricReliableCases::unknown),
            ConformanceCase.of("rdm.successIsToldOnDemandOnly", FabricReliableCases::selective),
            ConformanceCase.of("rdm.fenceWaitsForAllBefore", FabricReliableCases::fence),
            ConformanceCase.of("rdm.endpointsShareVectorAndQueue", FabricReliableCases::shared));
    }

    private static void sizes(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory from = near.buffer(BIG + PAGE);
        final FabricMemory to = far.buffer(BIG + PAGE);
        final int most = env.times(65_537, BIG);
        for (final int length : new int[] {0, 1, 2, 63, 64, 4063, 4064, 4065, PAGE, PAGE + 1, 8192, most}) {
            near.exchange(far, from, to, 70, near.atMost(length));
        }
        far.exchange(near, to, from, 70, far.atMost(10_000));
    }

    private static void cached(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory from = near.plain(16 * PAGE);
        final FabricMemory to = far.plain(16 * PAGE);
        for (final int length : new int[] {0, 1, 64, 200, PAGE, 10_000}) {
            near.exchange(far, from, to, 70, near.atMost(length));
        }
        Addressing.buffers(env, near, far, from, to);
    }

    /** The data travels in the header of the message: so it works on devices without immediate data, too. */
    private static void withData(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        RemoteData.check(env, group.join(), group.join());
    }

    private static void inject(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        Injecting.check(env, group.join(), group.join());
    }

    private static void vectors(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        final Peer far = group.join();
        Scattering.check(env, near, far, 100);
        // In pieces that end within buffers.
        Scattering.check(env, near, far, near.atMost(4 * 399) / 4);
    }

    private static void order(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final int count = 12;
        final FabricMemory from = near.buffer(count * 64);
        final FabricMemory to = far.buffer(count * 64);
        for (int round = 0; round < env.times(2, 20); round++) {
            to.guard();
            for (int i = 0; i < count; i++) {
                far.receive(to, i * 64, 64, i);
            }
            for (int i = 0; i < count; i++) {
                from.fill(round + i, i * 64, 64);
                near.send(from, i * 64, 64 - i, near.to(far), i);
            }
            for (int i = 0; i < count; i++) {
                near.next().expect(i, OperationKind.SEND);
                far.next().expect(i, OperationKind.RECEIVE).expectLength(64 - i);
                to.expectPattern(round + i, i * 64, 64 - i, "message " + i);
                env.moved(64 - i);
            }
        }
    }

    private static void unexpected(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory from = near.buffer(4 * PAGE);
        final FabricMemory to = far.buffer(4 * PAGE);
        for (int round = 0; round < env.times(2, 20); round++) {
            to.guard();
            for (int i = 0; i < 3; i++) {
                from.fill(round + i, i * 512, 512);
                near.send(from, i * 512, 300 + i, near.to(far), i);
            }
            Check.that(!far.ready(), "a message came that nobody receives");
            for (int i = 0; i < 3; i++) {
                far.receive(to, i * 512, 512, 10 + i);
            }
            for (int i = 0; i < 3; i++) {
                near.next().expect(i, OperationKind.SEND);
                far.next().expect(10 + i, OperationKind.RECEIVE).expectLength(300 + i);
                to.expectPattern(round + i, i * 512, 300 + i, "message " + i);
                env.moved(300 + i);
            }
        }
    }

    private static void random(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final List<Peer> peers = group.join(3);
        final List<FabricMemory> memory = new ArrayList<>();
        peers.forEach(peer -> memory.add(peer.buffer(16 * PAGE)));
        for (int i = 0; i < env.times(12, 400); i++) {
            final int sender = env.random().nextInt(peers.size());
            final int receiver = (sender + 1 + env.random().nextInt(peers.size() - 1)) % peers.size();
            peers.get(sender).exchange(peers.get(receiver), memory.get(sender), memory.get(receiver),
                64 + env.random().nextInt(PAGE),
                peers.get(sender).atMost(1 + env.random().nextInt(env.times(3, 8) * PAGE)));
        }
    }

    private static void toItself(final ConformanceEnv env) {
        final Peer peer = PeerGroup.reliable(env).join();
        final FabricMemory memory = peer.buffer(2 * PAGE);
        for (int round = 0; round < 2; round++) {
            Addressing.itself(env, peer, memory, PAGE, 1000);
        }
    }

    /** An error at the receiver alone; the sender is told of success, and what follows arrives. */
    private static void truncated(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory from = near.buffer(4 * PAGE);
        final FabricMemory to = far.buffer(4 * PAGE);
        for (final int length : new int[] {51, 80, near.atMost(3 * PAGE)}) {
            to.guard();
            far.receive(to, 100, 50, 1);
            near.send(from, 0, length, near.to(far), 2);
            near.next().expect(2, OperationKind.SEND);
            final FabricWc wc = far.next().expectError(1, FI_ETRUNC).expectLength(50);
            Check.equal(length - 50L, wc.overflow(), "what did not fit of %d bytes into 50", length);
            to.expectGuard(0, 100, "before the receive");
            to.expectGuard(150, 4 * PAGE, "behind the receive");
            near.expectMessagesFlow(far);
        }
    }

    private static void flowControl(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join(options -> options.window(4, 256));
        final Peer far = group.join(options -> options.window(4, 256));
        final FabricMemory from = near.buffer(PAGE);
        final FabricMemory to = far.buffer(PAGE);
        final int sent = sendUntilFull(env, group, near, near.to(far), from);
        for (int i = 0; i < sent; i++) {
            to.guard();
            far.receive(to, 0, 100, 1000 + i);
            far.next().expect(1000 + i, OperationKind.RECEIVE).expectLength(100);
            to.expectPattern(i, 0, 100, "message " + i + " of " + sent);
            env.moved(100);
        }
        for (int i = 0; i < sent; i++) {
            near.next().expect(i, OperationKind.SEND);
        }
        far.none(QUIET, "all that was sent was received");
        near.expectMessagesFlow(far);
    }

    /** As many as go to somebody who receives nothing: some, but not without bound. */
    private static int sendUntilFull(
        final ConformanceEnv env, final PeerGroup group, final Peer near, final long dest, final FabricMemory from) {
        final Duration quiet = env.patience(Duration.ofMillis(200));
        final Duration toConnect = env.connectTimeout();
        int sent = 0;
        long since = System.nanoTime();
        while (System.nanoTime() - since < (sent == 0 ? toConnect : quiet).toNanos()) {
            from.fill(sent, sent % 32 * 128, 100);
            final int at = sent % 32 * 128;
            final int code = near.endpoint().send(from.at(at), 100, from.region(), dest, sent);
            if (code == 0) {
                sent++;
                since = System.nanoTime();
            } else {
                FabricCheck.code(FI_EAGAIN, code, "send number " + sent);
                LockSupport.parkNanos(20_000);
            }
            group.progress();
            Check.that(sent < 32, "%d messages went to somebody who receives nothing and has room for 4", sent);
        }
        Check.that(sent > 0, "nothing was taken");
        return sent;
    }

    private static void noHeadOfLine(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join(options -> options.window(4, 256));
        final Peer slow = group.join(options -> options.window(4, 256));
        final Peer quick = group.join(options -> options.window(4, 256));
        final FabricMemory from = near.buffer(PAGE);
        final int stuck = sendUntilFull(env, group, near, near.to(slow), from);
        final FabricMemory out = near.buffer(PAGE);
        final FabricMemory to = quick.buffer(PAGE);
        final Set<Long> other = new HashSet<>();
        for (int i = 0; i < 6; i++) {
            quick.receive(to, 0, 500, 1);
            near.send(out, 0, 500, near.to(quick), 5000 + i);
            quick.next().expect(1, OperationKind.RECEIVE).expectLength(500);
            env.moved(500);
        }
        final FabricMemory sink = slow.buffer(PAGE);
        for (int i = 0; i < stuck; i++) {
            slow.receive(sink, 0, 100, i);
            slow.next().expect(i, OperationKind.RECEIVE).expectLength(100);
        }
        for (int i = 0; i < stuck + 6; i++) {
            final FabricWc wc = near.next();
            wc.expect(wc.context(), OperationKind.SEND);
            Check.that(other.add(wc.context()), "%s came twice", wc);
        }
    }

    private static void directed(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env).wishing(hints ->
            hints.capabilities(Capability.MSG, Capability.SOURCE, Capability.DIRECTED_RECV));
        final Peer far = group.join();
        final Peer one = group.join();
        final Peer two = group.join();
        final FabricMemory to = far.buffer(PAGE);
        final FabricMemory oneFrom = one.buffer(PAGE);
        final FabricMemory twoFrom = two.buffer(PAGE);
        for (int round = 0; round < env.times(2, 10); round++) {
            far.receive(to, 0, 64, far.to(two), 2);
            far.receive(to, 64, 64, far.to(one), 1);
            far.receive(to, 128, 64, FiAddr.UNSPEC, 3);
            one.send(oneFrom, 0, 11, one.to(far), 0);
            far.next().expect(1, OperationKind.RECEIVE).expectLength(11).expectSource(far.to(one));
            one.send(oneFrom, 0, 12, one.to(far), 0);
            far.next().expect(3, OperationKind.RECEIVE).expectLength(12).expectSource(far.to(one));
            // For the third there is no receive, until there is: it does not take that of another one.
            one.send(oneFrom, 0, 13, one.to(far), 0);
            two.send(twoFrom, 0, 21, two.to(far), 0);
            far.next().expect(2, OperationKind.RECEIVE).expectLength(21).expectSource(far.to(two));
            far.none(QUIET, "no receive is left");
            far.receive(to, 0, 64, far.to(one), 4);
            far.next().expect(4, OperationKind.RECEIVE).expectLength(13).expectSource(far.to(one));
            for (int i = 0; i < 3; i++) {
                one.next().expect(0, OperationKind.SEND);
            }
            two.next().expect(0, OperationKind.SEND);
        }
        FabricCheck.code(FI_EINVAL, far.endpoint().receive(to.at(0), 64, to.region(), far.to(one) + 99, 1),
            "a receive from somebody unknown");
    }

    private static void cancel(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory to = far.buffer(PAGE);
        far.receive(to, 0, 64, 1);
        far.receive(to, 64, 64, 2);
        far.receive(to, 128, 64, 3);
        FabricCheck.code(FI_ENOENT, far.endpoint().cancel(99), "a context that nobody has");
        FabricCheck.code(0, far.endpoint().cancel(2), "cancel");
        far.next().expectError(2, FI_ECANCELED);
        FabricCheck.code(FI_ENOENT, far.endpoint().cancel(2), "canceling twice");
        final FabricMemory from = near.buffer(PAGE);
        near.send(from, 0, 64, near.to(far), 1);
        far.next().expect(1, OperationKind.RECEIVE).expectLength(64);
        near.send(from, 0, 64, near.to(far), 2);
        far.next().expect(3, OperationKind.RECEIVE).expectLength(64);
        FabricCheck.code(FI_ENOENT, far.endpoint().cancel(3), "one that completed");
    }

    private static void contexts(final ConformanceEnv env) {
        final int bits = 2;
        final PeerGroup group = PeerGroup.reliable(env).vectors(() -> new AvAttributes().rxCtxBits(bits));
        final Peer near = group.join();
        final List<CompletionQueue> queues = new ArrayList<>();
        final var domain = group.openDomain();
        Check.that(domain.info().receiveAttributes().contexts() >= 4, "rx_ctx_cnt is %d",
            domain.info().receiveAttributes().contexts());
        for (int i = 0; i < 4; i++) {
            queues.add(env.own(domain.openCompletionQueue(64)));
        }
        final Peer far = group.join(domain, options -> options.completionQueue(queues.get(0))
            .receiveContexts(queues.toArray(new CompletionQueue[0])));
        final AddressedEndpoint endpoint = far.endpoint();
        final FabricMemory from = near.buffer(PAGE);
        final FabricMemory to = far.buffer(PAGE);
        for (int i = 0; i < 4; i++) {
            final ReceiveContext context = endpoint.receiveContext(i);
            Check.equal(i, context.index(), "index");
            Check.that(context.completionQueue() == queues.get(i), "queue of context %d", i);
            final int at = i * 128;
            far.post(() -> context.receive(to.at(at), 100, to.region(), FiAddr.UNSPEC, at), "receive of a context");
        }
        for (int i = 3; i >= 0; i--) {
            from.fill(i, 0, 50 + i);
            near.send(from, 0, 50 + i, FiAddr.rxAddr(near.to(far), i, bits), i);
            final FabricWc wc = next(env, group, queues.get(i), endpoint);
            wc.expect(i * 128L, OperationKind.RECEIVE).expectLength(50 + i);
            to.expectPattern(i, i * 128, 50 + i, "message to context " + i);
            near.next().expect(i, OperationKind.SEND);
            env.moved(50 + i);
        }
        FabricCheck.refused(FI_EINVAL, () -> endpoint.receiveContext(4), "a context that is not there");
        FabricCheck.refused(FI_EINVAL, () -> endpoint.receiveContext(-1), "a negative one");
    }

    private static FabricWc next(
        final ConformanceEnv env, final PeerGroup group, final CompletionQueue queue, final Object endpoint) {
        final List<FabricWc> read = new ArrayList<>();
        final long deadline = System.nanoTime() + env.patience(Duration.ofSeconds(8)).toNanos();
        while (read.isEmpty()) {
            group.progress();
            queue.read(entry -> read.add(FabricWc.of(entry)), 1);
            Check.that(System.nanoTime() - deadline < 0, "no completion in time; %s", endpoint);
        }
        return read.get(0);
    }

    private static void source(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env).wishing(hints -> hints.capabilities(Set.of()));
        final Peer far = group.join();
        final Peer near = group.join();
        final FabricMemory from = near.buffer(PAGE);
        final FabricMemory to = far.buffer(PAGE);
        final long[] wanted = {FiAddr.NOTAVAIL, far.to(near), 0};
        for (int i = 0; i < wanted.length; i++) {
            if (i == 0) {
                far.forget(near);
            } else if (i == 1) {
                wanted[1] = far.to(near);
            } else {
                wanted[2] = 0xfeed_0000_0001L;
                far.vector().userId(wanted[1], wanted[2], 0);
            }
            far.receive(to, 0, 64, i);
            near.send(from, 0, 10, near.to(far), i);
            far.next().expect(i, OperationKind.RECEIVE).expectSource(wanted[i]);
            near.next().expect(i, OperationKind.SEND).expectSource(FiAddr.NOTAVAIL);
        }
    }

    private static void unknown(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        Addressing.unknown(group.join(), group.join());
    }

    private static void selective(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        SelectiveCompletion.check(env, group.join(options -> options.selectiveCompletion(true)), group.join());
    }

    private static void fence(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env).wishing(hints ->
            hints.capabilities(Capability.MSG, Capability.SOURCE, Capability.FENCE));
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory from = near.buffer(64);
        final FabricMemory to = far.buffer(64);
        final Message message =
            new Message(1).add(from.at(0), 64, from.region()).peer(near.to(far)).context(1);
        near.post(() -> near.endpoint().sendMessage(message, OpFlags.DELIVERY_COMPLETE), "send");
        near.none(QUIET, "no receive has it");
        FabricCheck.code(FI_EAGAIN, near.endpoint().sendMessage(message.context(2), OpFlags.FENCE),
            "a fence behind a message that is under way");
        for (int i = 0; i < 2; i++) {
            far.post(() -> far.endpoint().receive(to.at(0), 64, to.region(), FiAddr.UNSPEC, 3), "receive");
        }
        near.post(() -> near.endpoint().sendMessage(message.context(2), OpFlags.FENCE), "send behind a fence");
        near.next().expect(1, OperationKind.SEND);
        near.next().expect(2, OperationKind.SEND);
        far.next().expect(3, OperationKind.RECEIVE);
        far.next().expect(3, OperationKind.RECEIVE);
        env.moved(128);
        final Peer without = PeerGroup.reliable(env).join();
        FabricCheck.code(FI_EOPNOTSUPP, without.endpoint().sendMessage(
            new Message(1).peer(without.to(without)), OpFlags.FENCE), "a fence that was not negotiated");
    }

    private static void shared(final ConformanceEnv env) {
        Addressing.shared(PeerGroup.reliable(env));
    }
}
