/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EINVAL;
import static io.rdma4j.fabric.FiErrno.FI_EKEYREJECTED;
import static io.rdma4j.fabric.FiErrno.FI_EOPNOTSUPP;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.Feature;

import java.util.List;

/** Remote memory through reliable datagram endpoints, each target named by an address and a key. */
final class FabricReliableRmaCases {
    private static final int PAGE = 4096;
    private static final int BIG = 1 << 17;
    private static final long KEY = 0x77;

    private FabricReliableRmaCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            rma("rdm.rmaOfAnySize", FabricReliableRmaCases::sizes),
            rma("rdm.rmaWithSeveralPeers", FabricReliableRmaCases::severalPeers),
            rma("rdm.rmaWithData", FabricReliableRmaCases::withData).needs(Feature.SEND_WITH_IMM),
            rma("rdm.rmaOfSeveralBuffers", FabricReliableRmaCases::vectors),
            rma("rdm.rmaThatThePeerRefuses", FabricReliableRmaCases::refused),
            rma("rdm.atomicsWithSeveralPeers", FabricReliableRmaCases::atomics).needs(Feature.ATOMICS),
            rma("rdm.atomicsOfEveryKind", FabricReliableRmaCases::everyAtomic).needs(Feature.ATOMICS),
            ConformanceCase.of("rdm.rmaThatWasNotNegotiatedIsRefused", FabricReliableRmaCases::notNegotiated));
    }

    private static ConformanceCase rma(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.RDMA_WRITE, Feature.RDMA_READ);
    }

    private static void write(
        final Peer near, final FabricMemory from, final int length, final Peer far, final long remote,
        final long key) {
        near.post(() -> near.endpoint().write(from.at(0), length, from.region(), near.to(far), remote, key, 5),
            "write");
    }

    private static void read(
        final Peer near, final FabricMemory to, final int length, final Peer far, final long remote, final long key) {
        near.post(() -> near.endpoint().read(to.at(0), length, to.region(), near.to(far), remote, key, 6), "read");
    }

    private static void sizes(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.rma(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory here = near.buffer(BIG + PAGE);
        final FabricMemory there = far.target(BIG + PAGE, KEY);
        for (final int length : new int[] {1, 2, 64, PAGE, PAGE + 1, 65_537, BIG}) {
            here.fill(length, 0, length);
            there.guard();
            write(near, here, length, far, there.remote(70), there.region().key());
            near.next().expect(5, OperationKind.WRITE);
            there.expectOnly(length, 70, length, length + " bytes written");
            there.fill(length + 1, 99, length);
            here.guard();
            read(near, here, length, far, there.remote(99), there.region().key());
            near.next().expect(6, OperationKind.READ);
            here.expectPattern(length + 1, 0, length, length + " bytes read");
            here.expectGuard(length, length + 64, "behind " + length + " bytes read");
            env.moved(2L * length);
        }
        near.expectMessagesFlow(far);
        far.expectMessagesFlow(near);
    }

    /** The same key at different peers is a different region. */
    private static void severalPeers(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.rma(env);
        final Peer near = group.join();
        final List<Peer> others = group.join(2);
        final FabricMemory here = near.buffer(PAGE);
        final List<FabricMemory> there = others.stream().map(peer -> peer.target(PAGE, KEY)).toList();
        for (int round = 0; round < env.times(2, 10); round++) {
            for (int i = 0; i < others.size(); i++) {
                here.fill(round * 10 + i, 0, 100);
                there.get(i).guard();
                write(near, here, 100, others.get(i), there.get(i).remote(200), there.get(i).region().key());
                near.next().expect(5, OperationKind.WRITE);
                there.get(i).expectOnly(round * 10 + i, 200, 100, "written to peer " + i);
            }
            for (int i = 0; i < others.size(); i++) {
                read(near, here, 100, others.get(i), there.get(i).remote(200), there.get(i).region().key());
                near.next().expect(6, OperationKind.READ);
                here.expectPattern(round * 10 + i, 0, 100, "read from peer " + i);
                env.moved(200);
            }
        }
    }

    private static void withData(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.rma(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory here = near.buffer(PAGE).fill(3, 0, 100);
        final FabricMemory there = far.target(PAGE, KEY);
        near.expectMessagesFlow(far);
        for (final int data : new int[] {1, -1}) {
            there.guard();
            near.post(() -> near.endpoint().writeWithData(here.at(0), 100, here.region(), data, near.to(far),
                there.remote(70), there.region().key(), 5), "write with data");
            near.next().expect(5, OperationKind.WRITE);
            far.next().expect(0, OperationKind.REMOTE_WRITE).expectData(data);
            there.expectOnly(3, 70, 100, "written with data");
            env.moved(100);
        }
    }

    private static void vectors(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.rma(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final int most = near.domain().info().transmitAttributes().iovLimit();
        final FabricMemory here = near.buffer(PAGE);
        final FabricMemory there = far.target(PAGE, KEY);
        for (int count = 1; count <= most; count++) {
            final Message message = new Message(most).peer(near.to(far)).context(count)
                .remote(there.remote(70), there.region().key());
            for (int i = 0; i < count; i++) {
                message.add(here.fill(3 + 50 * i, i * 200, 50).at(i * 200), 50, here.region());
            }
            there.guard();
            near.post(() -> near.endpoint().writeMessage(message, 0), "writeMessage");
            near.next().expect(count, OperationKind.WRITE);
            there.expectOnly(3, 70, 50 * count, count + " buffers written");
            here.guard();
            near.post(() -> near.endpoint().readMessage(message, 0), "readMessage");
            near.next().expect(count, OperationKind.READ);
            for (int i = 0; i < count; i++) {
                here.expectOnly(3 + 50 * i, i * 200, 50, "buffer " + i + " of " + count);
            }
            env.moved(100L * count);
        }
    }

    /** Errors of the one operation: the connection and what follows are well. */
    private static void refused(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.rma(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final FabricMemory here = near.buffer(PAGE);
        final FabricMemory there = far.target(PAGE, KEY);
        final long key = there.region().key();
        write(near, here, 100, far, there.remote(0), key + 1);
        expectRefused(near, FI_EKEYREJECTED);
        write(near, here, 100, far, there.remote(PAGE - 50), key);
        expectRefused(near, FI_EINVAL);
        there.region().close();
        write(near, here, 100, far, there.remote(0), key);
        expectRefused(near, FI_EKEYREJECTED);
        final FabricMemory other = far.target(PAGE, KEY + 9);
        write(near, here, 100, far, other.remote(0), other.region().key());
        near.next().expect(5, OperationKind.WRITE);
        near.expectMessagesFlow(far);
    }

    private static void expectRefused(final Peer near, final int errno) {
        final FabricWc wc = near.next();
        Check.that(wc.errno() == errno, "refused with %s: %s", FiErrno.name(wc.errno()), wc);
    }

    private static void everyAtomic(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.rma(env);
        final Peer far = group.join();
        final Peer near = group.join();
        AtomicKinds.tryAll(env, near.buffer(PAGE), far.target(PAGE, KEY), request -> {
            near.post(() -> near.endpoint().atomic(request.peer(near.to(far)).context(3), 0), request.toString());
            near.next().expect(3,
                request.result() == 0 ? OperationKind.ATOMIC_UPDATE : OperationKind.ATOMIC);
        });
    }

    private static void atomics(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.rma(env);
        final Peer far = group.join();
        final List<Peer> others = group.join(2);
        final FabricMemory there = far.target(PAGE, KEY);
        final long key = there.region().key();
        final int rounds = env.times(3, 50);
        long sum = 0;
        for (int i = 0; i < rounds; i++) {
            for (final Peer near : others) {
                final FabricMemory result = near.buffer(64);
                near.post(() -> near.endpoint().fetchAdd(
                    result.at(0), result.region(), 3, near.to(far), there.remote(8), key, 7), "fetchAdd");
                near.next().expect(7, OperationKind.ATOMIC);
                Check.equal(sum, result.buffer().getLong(0), "what was there");
                sum += 3;
                result.region().close();
                env.moved(8);
            }
        }
        Check.equal(sum, there.buffer().getLong(8), "sum at the target");
        final Peer near = others.get(0);
        final FabricMemory result = near.buffer(64);
        final long there1 = sum;
        near.post(() -> near.endpoint().compareSwap(
            result.at(0), result.region(), there1, -1, near.to(far), there.remote(8), key, 7), "compareSwap");
        near.next().expect(7, OperationKind.ATOMIC);
        Check.equal(sum, result.buffer().getLong(0), "what was compared");
        Check.equal(-1L, there.buffer().getLong(8), "what was swapped in");
    }

    private static void notNegotiated(final ConformanceEnv env) {
        final PeerGroup group = PeerGroup.reliable(env);
        final Peer near = group.join();
        final Peer far = group.join();
        final AddressedEndpoint endpoint = near.endpoint();
        final FabricMemory from = near.buffer(PAGE);
        final long to = near.to(far);
        final long at = from.at(0);
        near.expectMessagesFlow(far);
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.read(at, 8, from.region(), to, 0, 1, 1), "read");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.write(at, 8, from.region(), to, 0, 1, 1), "write");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.writeWithData(at, 8, from.region(), 1, to, 0, 1, 1), "with data");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.fetchAdd(at, from.region(), 1, to, 0, 1, 1), "fetchAdd");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.compareSwap(at, from.region(), 1, 2, to, 0, 1, 1), "compareSwap");
        final Message message = new Message(1).add(at, 8, from.region()).peer(to).remote(0, 1);
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.readMessage(message, 0), "readMessage");
        FabricCheck.code(FI_EOPNOTSUPP, endpoint.writeMessage(message, 0), "writeMessage");
        near.expectMessagesFlow(far);
    }
}
