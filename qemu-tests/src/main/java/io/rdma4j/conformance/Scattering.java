/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.fabric.FiErrno.FI_EBADFLAGS;
import static io.rdma4j.fabric.FiErrno.FI_EINVAL;

import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.OpFlags;
import io.rdma4j.fabric.OperationKind;

import java.time.Duration;

/** Messages from several buffers into several others, in every number that endpoints take. */
final class Scattering {
    private static final int PAGE = 4096;
    private static final int GAP = 400;
    private static final Duration QUIET = Duration.ofMillis(30);

    private Scattering() {
    }

    static void check(final ConformanceEnv env, final Peer near, final Peer far, final int piece) {
        final int most = near.domain().info().transmitAttributes().iovLimit();
        final int mostThere = far.domain().info().receiveAttributes().iovLimit();
        Check.that(most >= 1 && mostThere >= 1, "iov_limit is %d and %d", most, mostThere);
        final FabricMemory from = near.buffer(2 * PAGE);
        final FabricMemory to = far.buffer(2 * PAGE);
        for (int out = 1; out <= most; out++) {
            for (int in = 1; in <= mostThere; in++) {
                exchange(env, near, far, new Layout(from, out, to, in, piece));
            }
        }
        refusals(near, far, from, most);
    }

    /** Buffers of both sides. */
    private record Layout(FabricMemory from, int out, FabricMemory to, int in, int piece) {
        int total() {
            return out * piece;
        }

        /** Buffers that receive stand so far from each other that their surroundings can be looked at. */
        int place(final int i) {
            return i * (total() + 100);
        }
    }

    private static void exchange(final ConformanceEnv env, final Peer near, final Peer far, final Layout pieces) {
        final Message receive = new Message(pieces.in()).context(1).peer(FiAddr.UNSPEC);
        pieces.to().guard();
        final int room = (pieces.total() + pieces.in() - 1) / pieces.in();
        for (int i = 0; i < pieces.in(); i++) {
            receive.add(pieces.to().at(pieces.place(i)), room, i % 2 == 0 ? pieces.to().region() : null);
        }
        final Message send = new Message(pieces.out()).context(2).peer(near.to(far));
        for (int i = 0; i < pieces.out(); i++) {
            pieces.from().fill(3 + i * pieces.piece(), i * GAP, pieces.piece());
            send.add(pieces.from().at(i * GAP), pieces.piece(), i % 2 == 0 ? pieces.from().region() : null);
        }
        far.post(() -> far.endpoint().receiveMessage(receive, 0), "receiveMessage");
        near.post(() -> near.endpoint().sendMessage(send, 0), "sendMessage");
        near.next().expect(2, OperationKind.SEND);
        far.next().expect(1, OperationKind.RECEIVE).expectLength(pieces.total());
        for (int i = 0, done = 0; i < pieces.in(); i++) {
            final int length = Math.min(room, pieces.total() - done);
            pieces.to().expectOnly(3 + done, pieces.place(i), length, pieces.out() + " to " + pieces.in() + ": " + i);
            done += length;
        }
        env.moved(pieces.total());
    }

    private static void refusals(final Peer near, final Peer far, final FabricMemory from, final int most) {
        final Message tooMany = new Message(most + 1).peer(near.to(far));
        for (int i = 0; i <= most; i++) {
            tooMany.add(from.at(i * GAP), 8, from.region());
        }
        FabricCheck.code(FI_EINVAL, near.endpoint().sendMessage(tooMany, 0), "more buffers than iov_limit");
        FabricCheck.code(FI_EINVAL, near.endpoint().receiveMessage(tooMany, 0), "more buffers than iov_limit");
        FabricCheck.code(FI_EINVAL, near.endpoint().sendMessage(null, 0), "null");
        FabricCheck.code(FI_EINVAL, near.endpoint().receiveMessage(null, 0), "null");
        final Message message = new Message(1).add(from.at(0), 8, from.region()).peer(near.to(far));
        FabricCheck.code(FI_EBADFLAGS, near.endpoint().receiveMessage(message, OpFlags.INJECT), "a flag of sends");
        message.clear().add(from.at(0), -1, from.region());
        FabricCheck.code(FI_EINVAL, near.endpoint().sendMessage(message, 0), "a negative length");
        near.none(QUIET, "nothing was started");
    }
}
