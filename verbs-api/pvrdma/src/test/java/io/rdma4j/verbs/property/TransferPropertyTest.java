/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.property;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.rdma4j.testing.Campaign;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcStatus;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.util.List;

/** Bytes arrive where a plain model says, whatever regions, elements, sizes and places are used. */
@Timeout(180)
class TransferPropertyTest {
    private static final int RUNS = 300;
    private static final int OPERATIONS = 48;
    private static final int LONGEST = 4096;

    @RegisterExtension
    static final Device DEVICE = new Device("emulated:transfers");

    @FuzzTest(maxDuration = "60s")
    void bytesArriveWhereAPlainModelSays(final byte[] data) {
        run(new Choices(data));
    }

    @Campaign(value = "model", usual = RUNS)
    void bytesArriveWhereAPlainModelSaysForAnySeed(final long seed) {
        run(Choices.of(seed));
    }

    private static void run(final Choices choices) {
        try (Side near = new Side(DEVICE.context(), 1); Side far = new Side(DEVICE.context(), 101)) {
            Side.connect(near, far);
            for (int i = choices.between(1, 8); i > 0; i--) {
                near.register(choices);
                far.register(choices);
            }
            for (int i = 0; i < OPERATIONS && !choices.isExhausted(); i++) {
                step(choices, near, far, i);
            }
            assertThat(firstDifference(near)).as("near side").isEqualTo(-1);
            assertThat(firstDifference(far)).as("far side").isEqualTo(-1);
        }
    }

    private static void step(final Choices choices, final Side near, final Side far, final int wrId) {
        final Side from = choices.oneIn(2) ? far : near;
        final Side to = from == near ? far : near;
        switch (choices.below(6)) {
            case 0 -> send(choices, from, to, wrId);
            case 1 -> write(choices, from, to, wrId);
            case 2 -> read(choices, from, to, wrId);
            case 3 -> atomic(choices, from, to, wrId, SendOpcode.ATOMIC_FETCH_AND_ADD);
            case 4 -> atomic(choices, from, to, wrId, SendOpcode.ATOMIC_CMP_AND_SWP);
            default -> replaceRegion(choices, from);
        }
    }

    private static void send(final Choices choices, final Side from, final Side to, final int wrId) {
        final List<Piece> source = Piece.anywhere(from, choices, LONGEST);
        final List<Piece> target = Piece.anywhere(to, choices, LONGEST);
        if (Piece.length(source) > Piece.length(target) || Piece.overlap(target)) {
            return;
        }
        final ReceiveRequest receive = new ReceiveRequest(Side.MAX_SGE).wrId(wrId);
        target.forEach(piece -> receive.addSge(piece.address(to), piece.length(), piece.region().lkey()));
        assertThat(to.qp.postReceive(receive)).isEqualTo(ReturnCode.OK);
        post(from, request(SendOpcode.SEND, wrId, from, source));
        awaitSuccess(from, wrId);
        awaitSuccess(to, wrId);
        Piece.scatter(to, target, Piece.gather(from, source));
    }

    private static void write(final Choices choices, final Side from, final Side to, final int wrId) {
        final List<Piece> source = Piece.anywhere(from, choices, LONGEST);
        final Piece target = inOnePiece(choices, to, Piece.length(source));
        if (target == null) {
            return;
        }
        post(from, request(SendOpcode.RDMA_WRITE, wrId, from, source).remote(target.address(to),
            target.region().rkey()));
        awaitSuccess(from, wrId);
        Piece.scatter(to, List.of(target), Piece.gather(from, source));
    }

    private static void read(final Choices choices, final Side to, final Side from, final int wrId) {
        final List<Piece> target = Piece.anywhere(to, choices, LONGEST);
        final Piece source = inOnePiece(choices, from, Piece.length(target));
        if (source == null || Piece.overlap(target)) {
            return;
        }
        post(to, request(SendOpcode.RDMA_READ, wrId, to, target).remote(source.address(from), source.region().rkey()));
        awaitSuccess(to, wrId);
        Piece.scatter(to, target, Piece.gather(from, List.of(source)));
    }

    private static void atomic(
        final Choices choices, final Side from, final Side to, final int wrId, final SendOpcode opcode) {
        final Piece result = inOnePiece(choices, from, Long.BYTES);
        final Piece wide = inOnePiece(choices, to, 2 * Long.BYTES);
        if (result == null || wide == null) {
            return;
        }
        final int word = wide.offset() + Long.BYTES - 1 & -Long.BYTES;
        final long before = to.model.getLong(word);
        final boolean add = opcode == SendOpcode.ATOMIC_FETCH_AND_ADD;
        final long first = add || choices.oneIn(4) ? choices.below(1 << 20) : before;
        final long second = choices.below(1 << 20);
        final long remote = wide.address(to) + (word - wide.offset());
        post(from, request(opcode, wrId, from, List.of(result)).remote(remote, wide.region().rkey())
            .atomic(first, second));
        awaitSuccess(from, wrId);
        to.model.putLong(word, add ? before + first : before == first ? second : before);
        from.model.putLong(result.offset(), before);
    }

    /** The keys of the old one must not be used any more; what it held stays as it is. */
    private static void replaceRegion(final Choices choices, final Side side) {
        final MemoryRegion old = side.any(choices);
        final MemoryRegion added = side.register(choices);
        assertThat(added.rkey()).isNotEqualTo(old.rkey());
        side.regions.remove(old);
        old.close();
    }

    private static Piece inOnePiece(final Choices choices, final Side side, final int length) {
        final MemoryRegion region = side.any(choices);
        return region.length() < length ? null : new Piece(
            side.offsetOf(region) + choices.below((int) region.length() - length + 1), length, region);
    }

    private static SendRequest request(
        final SendOpcode opcode, final int wrId, final Side side, final List<Piece> pieces) {
        final SendRequest request = new SendRequest(Side.MAX_SGE).opcode(opcode).wrId(wrId);
        pieces.forEach(piece -> request.addSge(piece.address(side), piece.length(), piece.region().lkey()));
        return request;
    }

    private static void post(final Side side, final SendRequest request) {
        assertThat(ReturnCode.nameOf(side.qp.postSend(request))).isEqualTo("OK");
    }

    private static void awaitSuccess(final Side side, final int wrId) {
        final Outcomes outcomes = Outcomes.await(side.cq, 1);
        assertThat(outcomes.list).as("%s", outcomes.list).hasSize(1);
        assertThat(outcomes.list.get(0).status()).as("%s", outcomes.list).isEqualTo(WcStatus.SUCCESS);
        assertThat(outcomes.list.get(0).wrId()).isEqualTo(wrId);
    }

    private static int firstDifference(final Side side) {
        final UnsafeBuffer seen = side.bytes;
        for (int i = 0; i < Side.LENGTH; i++) {
            if (seen.getByte(i) != side.model.getByte(i)) {
                return i;
            }
        }
        return -1;
    }
}
