/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EBADFD;
import static io.rdma4j.fabric.FiErrno.FI_EBADFLAGS;
import static io.rdma4j.fabric.FiErrno.FI_EDOMAIN;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;
import static io.rdma4j.fabric.FiErrno.FI_EMSGSIZE;
import static io.rdma4j.fabric.FiErrno.FI_ENOAV;
import static io.rdma4j.fabric.FiErrno.FI_ENOCQ;
import static io.rdma4j.fabric.FiErrno.FI_ENOSYS;
import static io.rdma4j.fabric.FiErrno.FI_EOPNOTSUPP;
import static io.rdma4j.fabric.FiErrno.FI_ETRUNC;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.AvInsert;
import io.rdma4j.fabric.Domain;
import io.rdma4j.fabric.EndpointOptions;
import io.rdma4j.fabric.FabricAddress;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;

import org.agrona.concurrent.UnsafeBuffer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Datagram endpoints: what arrives, from whom, and what does not. */
final class FabricDatagramCases {
    private static final int PAGE = 4096;
    private static final Duration QUIET = Duration.ofMillis(30);

    private FabricDatagramCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("datagram.ofAnySizeUpToTheMtu", FabricDatagramCases::sizes),
            ConformanceCase.of("datagram.withoutDescriptors", FabricDatagramCases::cached),
            ConformanceCase.of("datagram.longerThanTheMtuIsRefused", FabricDatagramCases::tooLong),
            ConformanceCase.of("datagram.withData", FabricDatagramCases::withData),
            ConformanceCase.of("datagram.injectedIsTakenAtOnce", FabricDatagramCases::inject),
            ConformanceCase.of("datagram.ofSeveralBuffers", FabricDatagramCases::vectors),
            ConformanceCase.of("datagram.tellsItsSource", FabricDatagramCases::source),
            ConformanceCase.of("datagram.sourceIsTheUserIdThatWasGiven", FabricDatagramCases::userId),
            ConformanceCase.of("datagram.fromManyToOne", FabricDatagramCases::manyToOne),
            ConformanceCase.of("datagram.fromOneToMany", FabricDatagramCases::oneToMany),
            ConformanceCase.of("datagram.toItself", FabricDatagramCases::toItself),
            ConformanceCase.of("datagram.withoutAReceiveIsDropped", FabricDatagramCases::dropped),
            ConformanceCase.of("datagram.longerThanItsReceiveIsAnError", FabricDatagramCases::truncated),
            ConformanceCase.of("datagram.toNamesThatAreNotThereIsRefused", FabricDatagramCases::unknown),
            ConformanceCase.of("datagram.endpointsHaveNoMoreThanMessages", FabricDatagramCases::unsupported),
            ConformanceCase.of("datagram.endpointsShareVectorAndQueue", FabricDatagramCases::shared),
            ConformanceCase.of("datagram.successIsToldOnDemandOnly", FabricDatagramCases::selective),
            ConformanceCase.of("datagram.endpointsNeedVectorAndQueue", FabricDatagramCases::opening),
            ConformanceCase.of("datagram.endpointsThatCloseGiveEverythingBack", FabricDatagramCases::close));
    }

    private static int mtu(final Peer peer) {
        return (int) peer.domain().info().endpointAttributes().maxMessageSize();
    }

    private static void sizes(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory from = near.buffer(2 * PAGE);
        final FabricMemory to = far.buffer(2 * PAGE);
        final int mtu = Math.min(mtu(near), mtu(far));
        Check.that(mtu >= 256 && mtu <= PAGE, "a datagram may have %d bytes", mtu);
        for (final int length : new int[] {0, 1, 2, 63, 64, 128, 129, 255, mtu - 1, mtu}) {
            near.exchange(far, from, to, 70 + length % 13, length);
        }
        far.exchange(near, to, from, 70, mtu);
    }

    private static void cached(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory from = near.plain(2 * PAGE);
        final FabricMemory to = far.plain(2 * PAGE);
        for (final int length : new int[] {0, 1, 64, 200, Math.min(mtu(near), mtu(far))}) {
            near.exchange(far, from, to, 70, length);
        }
        Addressing.buffers(env, near, far, from, to);
    }

    private static void tooLong(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory from = near.buffer(2 * PAGE);
        final FabricMemory to = far.buffer(2 * PAGE);
        far.receive(to, 0, PAGE, 1);
        FabricCheck.code(FI_EMSGSIZE, near.endpoint().send(from.at(0), mtu(near) + 1, from.region(), near.to(far), 1),
            "one byte more than the MTU");
        FabricCheck.code(FI_EINVAL, near.endpoint().send(from.at(0), -1, from.region(), near.to(far), 1),
            "a negative length");
        far.none(QUIET, "nothing was sent");
        near.none(QUIET, "nothing was sent");
        near.send(from, 0, 10, near.to(far), 2);
        near.next().expect(2, OperationKind.SEND);
        far.next().expect(1, OperationKind.RECEIVE).expectLength(10);
        env.moved(10);
    }

    private static void withData(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer near = group.join();
        final Peer far = group.join();
        if (near.domain().info().domainAttributes().cqDataSize() == 0) {
            final FabricMemory from = near.buffer(PAGE);
            FabricCheck.code(FI_EOPNOTSUPP,
                near.endpoint().sendWithData(from.at(0), 8, from.region(), 7, near.to(far), 1), "send with data");
            throw env.skip("datagrams of this device carry no data beside them (cq_data_size is 0), and say so");
        }
        RemoteData.check(env, near, far);
    }

    private static void inject(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        Injecting.check(env, group.join(), group.join());
    }

    private static void vectors(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        Scattering.check(env, group.join(), group.join(), 100);
    }

    private static void source(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer far = group.join();
        final Peer known = group.join();
        final Peer stranger = group.join();
        final FabricMemory to = far.buffer(PAGE);
        final long name = far.to(known);
        for (int round = 0; round < 3; round++) {
            say(env, known, far, to).expectSource(name);
            say(env, stranger, far, to).expectSource(FiAddr.NOTAVAIL);
        }
        far.forget(known);
        say(env, known, far, to).expectSource(FiAddr.NOTAVAIL);
        final long again = far.to(known);
        say(env, known, far, to).expectSource(again);
    }

    /** One small datagram; what comes of it at the receiver. */
    private static FabricWc say(
        final ConformanceEnv env, final Peer from, final Peer to, final FabricMemory memory) {
        to.receive(memory, 0, 64, 1);
        final byte[] bytes = {1, 2, 3, 4};
        from.post(() -> from.endpoint().inject(new UnsafeBuffer(bytes), 0, 4, from.to(to)), "inject");
        env.moved(4);
        return to.next().expect(1, OperationKind.RECEIVE).expectLength(4);
    }

    private static void userId(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env).wishing(hints -> hints.capabilities(Set.of()));
        final Peer far = group.join();
        final Peer near = group.join();
        final FabricMemory to = far.buffer(PAGE);
        final long[] fiAddrs = {0xfeed_0000_0001L};
        Check.equal(1, far.vector().insert(new FabricAddress[] {near.endpoint().address()}, fiAddrs,
            new AvInsert().userIds(true)), "inserted");
        Check.that(fiAddrs[0] != FiAddr.NOTAVAIL && far.vector().lookup(fiAddrs[0]) != null,
            "the name is 0x%x", fiAddrs[0]);
        say(env, near, far, to).expectSource(0xfeed_0000_0001L);
        far.vector().userId(fiAddrs[0], -5, 0);
        say(env, near, far, to).expectSource(-5);
        near.receive(near.buffer(PAGE), 0, 64, 9);
        far.post(() -> far.endpoint().inject(new UnsafeBuffer(new byte[] {1}), 0, 1, fiAddrs[0]), "inject by name");
        near.next().expect(9, OperationKind.RECEIVE).expectLength(1);
    }

    private static void manyToOne(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer far = group.join();
        final List<Peer> senders = group.join(3);
        final int rounds = env.times(2, 8);
        final FabricMemory to = far.buffer(PAGE);
        final List<Long> names = new ArrayList<>();
        senders.forEach(sender -> names.add(far.to(sender)));
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < senders.size(); i++) {
                far.receive(to, i * 128, 64, i);
            }
            for (int i = 0; i < senders.size(); i++) {
                final Peer sender = senders.get(i);
                final byte[] bytes = {(byte) i, (byte) round};
                sender.post(() -> sender.endpoint().inject(new UnsafeBuffer(bytes), 0, 2, sender.to(far)), "inject");
            }
            final Set<Integer> heard = new HashSet<>();
            for (int i = 0; i < senders.size(); i++) {
                final FabricWc received = far.next().expect(i, OperationKind.RECEIVE).expectLength(2);
                final int who = to.buffer().getByte(i * 128);
                Check.equal(round, (int) to.buffer().getByte(i * 128 + 1), "round of the datagram of %d", who);
                received.expectSource(names.get(who));
                Check.that(heard.add(who), "%d was heard twice", who);
                env.moved(2);
            }
        }
    }

    private static void oneToMany(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer near = group.join();
        final List<Peer> all = group.join(3);
        final FabricMemory from = near.buffer(PAGE);
        for (int round = 0; round < env.times(2, 8); round++) {
            for (final Peer far : all) {
                near.exchange(far, from, far.buffer(PAGE), 70, 100);
            }
        }
    }

    private static void toItself(final ConformanceEnv env) {
        final Peer peer = PeerGroup.datagrams(env).join();
        Addressing.itself(env, peer, peer.buffer(PAGE), 1000, 100);
    }

    private static void dropped(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory from = near.buffer(PAGE);
        for (int i = 0; i < 3; i++) {
            near.send(from, 0, 100, near.to(far), i);
            near.next().expect(i, OperationKind.SEND);
        }
        // Behind them on the way: when this is there, they are gone.
        near.expectMessagesFlow(group.joinWithQueue(far, options -> options));
        far.none(QUIET, "no receive was posted");
        near.expectMessagesFlow(far);
    }

    private static void truncated(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory from = near.buffer(PAGE);
        final FabricMemory to = far.buffer(PAGE);
        to.guard();
        far.receive(to, 100, 50, 1);
        near.send(from, 0, 80, near.to(far), 2);
        near.next();
        final FabricWc wc = far.next().expectError(1, FI_ETRUNC);
        Check.that(wc.overflow() == 30 || wc.overflow() == 0, "30 bytes did not fit, told are %d", wc.overflow());
        wc.expectLength(wc.overflow() == 0 ? 0 : 50);
        to.expectGuard(0, 100, "before the receive");
        to.expectGuard(150, PAGE, "behind the receive");
        near.expectMessagesFlow(far);
    }

    private static void unknown(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        Addressing.unknown(group.join(), group.join());
    }

    private static void unsupported(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final AddressedEndpoint endpoint = near.endpoint();
        final FabricMemory from = near.buffer(PAGE);
        final long to = near.to(far);
        final long at = from.at(0);
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.read(at, 8, from.region(), to, 0, 1, 1), "read");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.write(at, 8, from.region(), to, 0, 1, 1), "write");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.writeWithData(at, 8, from.region(), 1, to, 0, 1, 1), "with data");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.fetchAdd(at, from.region(), 1, to, 0, 1, 1), "fetchAdd");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.compareSwap(at, from.region(), 1, 2, to, 0, 1, 1), "compareSwap");
        final Message message = new Message(1).add(at, 8, from.region()).peer(to).remote(0, 1);
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.readMessage(message, 0), "readMessage");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.writeMessage(message, 0), "writeMessage");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.sendMessage(message, OpFlags.DELIVERY_COMPLETE), "delivery complete");
        FabricCheck.code(FI_EBADFLAGS, endpoint.sendMessage(message, 1L << 60), "flags that do not exist");
        FabricCheck.code(FI_ENOSYS, endpoint.cancel(1), "cancel");
        near.none(QUIET, "nothing was started");
        near.expectMessagesFlow(far);
    }

    private static void shared(final ConformanceEnv env) {
        Addressing.shared(PeerGroup.datagrams(env));
    }

    private static void selective(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        SelectiveCompletion.check(env, group.join(options -> options.selectiveCompletion(true)), group.join());
    }

    private static void opening(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer peer = group.join();
        final Domain domain = peer.domain();
        FabricCheck.refused(FI_ENOAV, () -> domain.openAddressedEndpoint(
            new EndpointOptions().completionQueue(peer.cq())), "no vector");
        FabricCheck.refused(FI_ENOCQ, () -> domain.openAddressedEndpoint(
            new EndpointOptions().addressVector(peer.vector())), "no queue");
        FabricCheck.refused(FI_EINVAL, () -> domain.openAddressedEndpoint(null), "null");
        FabricCheck.refused(FI_EINVAL, () -> domain.openEndpoint(
            new EndpointOptions().completionQueue(peer.cq())), "a connected endpoint");
        FabricCheck.refused(FI_EDOMAIN, () -> domain.openAddressedEndpoint(new EndpointOptions()
            .completionQueue(peer.cq()).addressVector(group.join().vector())), "a vector of another domain");
        peer.expectMessagesFlow(group.join());
    }

    private static void close(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.datagrams(env);
        final Peer near = group.join();
        for (int i = 0; i < env.times(3, 20); i++) {
            final Peer far = group.join(near.domain(), options -> options);
            near.expectMessagesFlow(far);
            far.receive(far.buffer(PAGE), 0, 64, 77);
            far.endpoint().close();
            far.endpoint().close();
            far.next().expectError(77, io.rdma4j.fabric.FiErrno.FI_ECANCELED);
            FabricCheck.code(FI_EBADFD, far.endpoint().inject(near.plain(PAGE).buffer(), 0, 8, 0), "a closed one");
            near.forget(far);
            far.vector().close();
            far.cq().close();
            group.leave(far);
        }
    }
}
