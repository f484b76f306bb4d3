/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EBUSY;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;

import io.rdma4j.fabric.AddressedEndpoint;
import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.OperationKind;

import java.util.HashSet;
import java.util.Set;

/** What holds for messages of every kind of endpoint that names its peers: whom they reach. */
final class Addressing {
    private static final int PAGE = 4096;

    private Addressing() {
    }

    /** A message from the start of a buffer of the application into another one. */
    static void buffers(
        final ConformanceEnv env, final Peer near, final Peer far, final FabricMemory from, final FabricMemory to) {
        from.fill(5, 0, 200);
        to.guard();
        far.post(() -> far.endpoint().receive(to.buffer(), 100, 256, FiAddr.UNSPEC, 1), "receive into a buffer");
        near.post(() -> near.endpoint().send(from.buffer(), 0, 200, near.to(far), 2), "send from a buffer");
        near.next().expect(2, OperationKind.SEND);
        far.next().expect(1, OperationKind.RECEIVE).expectLength(200);
        to.expectOnly(5, 100, 200, "from buffer to buffer");
        env.moved(200);
    }

    /** A message to its own sender. */
    static void itself(
        final ConformanceEnv env, final Peer peer, final FabricMemory memory, final int offset, final int length) {
        memory.guard().fill(9, 0, length);
        peer.receive(memory, offset, 2 * length, 1);
        peer.send(memory, 0, length, peer.to(peer), 2);
        final Set<Long> contexts = new HashSet<>();
        for (int i = 0; i < 2; i++) {
            final FabricWc wc = peer.next();
            contexts.add(wc.context());
            wc.expect(wc.context(), wc.context() == 1 ? OperationKind.RECEIVE : OperationKind.SEND);
        }
        Check.equal(Set.of(1L, 2L), contexts, "what completed");
        memory.expectOnly(9, offset, length, "sent to itself");
        env.moved(length);
    }

    /** Names that nobody has, and one that was removed. */
    static void unknown(final Peer near, final Peer far) {
        final AddressedEndpoint endpoint = near.endpoint();
        final FabricMemory from = near.buffer(PAGE);
        final long name = near.to(far);
        for (final long bad : new long[] {FiAddr.UNSPEC, name + 1, name + 1000, 1L << 40, Long.MIN_VALUE}) {
            FabricCheck.code(FI_EINVAL, endpoint.send(from.at(0), 8, from.region(), bad, 1), "sending to " + bad);
            FabricCheck.code(FI_EINVAL, endpoint.inject(from.buffer(), 0, 8, bad), "injecting to " + bad);
        }
        near.expectMessagesFlow(far);
        near.forget(far);
        FabricCheck.code(FI_EINVAL, endpoint.send(from.at(0), 8, from.region(), name, 1), "sending to a removed one");
        FabricCheck.code(FI_EINVAL, endpoint.inject(from.buffer(), 0, 8, name), "injecting to a removed one");
        near.expectMessagesFlow(far);
    }

    /** Two endpoints with one vector and one queue. */
    static void shared(final PeerGroup group) {
        final Peer far = group.join();
        final Peer first = group.join();
        final Peer second = group.joinBeside(first, options -> options);
        requireInUse(first);
        first.expectMessagesFlow(far);
        second.expectMessagesFlow(far);
        far.expectMessagesFlow(first);
        far.expectMessagesFlow(second);
        requireInUse(first);
        first.endpoint().close();
        second.expectMessagesFlow(far);
        requireInUse(first);
    }

    private static void requireInUse(final Peer peer) {
        FabricCheck.refused(FI_EBUSY, peer.vector()::close, "a vector with endpoints");
        FabricCheck.refused(FI_EBUSY, peer.cq()::close, "a queue with endpoints");
    }
}
