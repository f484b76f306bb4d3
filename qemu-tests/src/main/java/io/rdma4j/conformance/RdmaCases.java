/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** RDMA WRITE and READ that are allowed: every size and place, every number of elements, order, immediate data. */
final class RdmaCases {
    private static final int MAX_SIZE = 1 << 20;
    private static final Duration SILENCE = Duration.ofMillis(20);

    private RdmaCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            writes("write.everySizeFromNothingToAMebibyte", RdmaCases::writeEverySize),
            writes("write.everyOffset", RdmaCases::writeEveryOffset),
            writes("write.everyNumberOfElements", RdmaCases::writeElements),
            writes("write.peerIsNotToldOfIt", RdmaCases::writeUnaware),
            writes("write.standsThereWhenALaterSendArrives", RdmaCases::writeThenSend),
            writes("write.laterOneWins", RdmaCases::laterWins),
            writes("write.qpCanWriteToItself", RdmaCases::writeToItself),
            writes("write.firstAndLastByteOfARegion", RdmaCases::edges),
            writes("write.nothingNeedsNoKey", RdmaCases::writeNothing),
            writes("write.unsignaled", RdmaCases::writeUnsignaled).needs(Feature.UNSIGNALED),
            writes("write.immediateDataUsesUpAReceive", RdmaCases::writeImmediate).needs(Feature.SEND_WITH_IMM),
            writes("write.immediateDataWaitsForAReceive", RdmaCases::writeImmediateWaits).needs(Feature.SEND_WITH_IMM),
            reads("read.everySizeFromNothingToAMebibyte", RdmaCases::readEverySize),
            reads("read.everyOffset", RdmaCases::readEveryOffset),
            reads("read.everyNumberOfElements", RdmaCases::readElements),
            reads("read.seesTheWriteBeforeIt", RdmaCases::readAfterWrite).needs(Feature.RDMA_WRITE),
            reads("read.fencedSendCarriesWhatWasRead", RdmaCases::readThenFencedSend),
            reads("read.bothDirectionsAtOnce", RdmaCases::readBothDirections),
            reads("read.moreAtOnceThanTheConnectionAllows", RdmaCases::readMany),
            reads("read.nothingNeedsNoKey", RdmaCases::readNothing));
    }

    private static ConformanceCase writes(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.RDMA_WRITE, Feature.REMOTE_KEYS);
    }

    private static ConformanceCase reads(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.RDMA_READ, Feature.REMOTE_KEYS);
    }

    private static void writeEverySize(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_WRITE);
        final Memory from = pair.near().memory(MAX_SIZE + 8192);
        final Memory to = pair.far().memory(MAX_SIZE + 8192, REMOTE_WRITE);
        write(env, pair, from, 5, to, 77, 0);
        for (int size = 1; size <= MAX_SIZE; size <<= 1) {
            for (int length = Math.max(1, size - 1); length <= Math.min(MAX_SIZE, size + 1); length++) {
                write(env, pair, from, 64 + length % 61, to, 64 + length % 53, length);
            }
        }
    }

    /** One WRITE: its bytes are there when it has completed, and no others have changed. */
    private static void write(
        final ConformanceEnv env, final RcPair pair, final Memory from, final int fromOffset, final Memory to,
        final int toOffset, final int length) {
        final int seed = env.random().nextInt();
        from.fill(seed, fromOffset, length);
        final int low = Math.max(0, toOffset - 64);
        final int high = Math.min(to.buffer().capacity(), toOffset + length + 64);
        to.buffer().setMemory(low, high - low, Memory.GUARD);
        Check.ok(pair.nearQp().postSend(OneSided.write(from, fromOffset, length, to, toOffset).wrId(seed)), "post");
        pair.near().sent().next().expect(seed, WcOpcode.RDMA_WRITE);
        final String what = length + " bytes written to offset " + toOffset;
        to.expectPattern(seed, toOffset, length, what);
        to.expectGuard(low, toOffset, "before " + what);
        to.expectGuard(toOffset + length, high, "behind " + what);
        env.moved(length);
    }

    private static void writeEveryOffset(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_WRITE);
        final Memory from = pair.near().memory(3 * 4096);
        final Memory to = pair.far().memory(3 * 4096, REMOTE_WRITE);
        for (int offset = 0; offset < 4096; offset += env.times(257, 61)) {
            write(env, pair, from, 4096 - offset, to, offset, 100);
            write(env, pair, from, offset, to, 4096 - offset, 4097);
        }
    }

    private static void writeElements(final ConformanceEnv env) {
        final int most = Math.min(env.device().attributes().maxSge(), env.peer().attributes().maxSge());
        final RcPair pair = RcPair.allowing(env, 2, most, REMOTE_WRITE);
        final Memory from = pair.near().memory(1 << 16);
        final Memory to = pair.far().memory(1 << 16, REMOTE_WRITE);
        for (int count = 0; count <= most; count++) {
            for (final int length : new int[] {count, 1000, 20_000}) {
                final byte[] message = new byte[count == 0 ? 0 : length];
                env.random().nextBytes(message);
                final SendRequest request = new SendRequest(most).opcode(SendOpcode.RDMA_WRITE)
                    .wrId(count).remote(to.at(333), to.rkey());
                Pieces.split(env.random(), message.length, count, (piece, start, size) -> {
                    from.buffer().putBytes(start + piece, message, start, size);
                    request.addSge(from.at(start + piece), size, from.lkey());
                });
                to.guard();
                Check.ok(pair.nearQp().postSend(request), "post");
                pair.near().sent().next().expect(count, WcOpcode.RDMA_WRITE);
                to.expectBytes(message, 333, count + " pieces");
                to.expectGuard(333 + message.length, 1 << 16, "behind " + count + " pieces");
                env.moved(message.length);
            }
        }
    }

    private static void writeUnaware(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_WRITE);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096, REMOTE_WRITE);
        final Memory receive = pair.far().memory(4096).guard();
        Check.ok(pair.farQp().postReceive(7, receive.at(0), 4096, receive.lkey()), "post receive");
        write(env, pair, from, 0, to, 0, 1000);
        pair.far().received().none(SILENCE, "a WRITE uses up no receive");
        receive.expectGuard(0, 4096, "receive buffer");
        Check.ok(pair.nearQp().postSend(1, from.at(0), 10, from.lkey()), "post send");
        pair.near().sent().next().expect(1, WcOpcode.SEND);
        pair.far().received().next().expect(7, WcOpcode.RECV).expectBytes(10);
    }

    /** The usual way to tell a peer: what was written before a message stands there when the message has come. */
    private static void writeThenSend(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 4, 1, REMOTE_WRITE);
        final Memory from = pair.near().memory(16_384);
        final Memory to = pair.far().memory(16_384, REMOTE_WRITE);
        final Memory receive = pair.far().memory(64);
        for (int round = 0; round < env.times(20, 200); round++) {
            Check.ok(pair.farQp().postReceive(round, receive.at(0), 64, receive.lkey()), "post receive");
            from.fill(round, 0, 16_000);
            final SendRequest[] both = {OneSided.write(from, 0, 16_000, to, 3).wrId(1).flags(0),
                new SendRequest().wrId(2).sge(from.at(0), 1, from.lkey())};
            Check.equal(2, pair.nearQp().postSend(both, 2), "posted");
            pair.far().received().next().expect(round, WcOpcode.RECV);
            to.expectPattern(round, 3, 16_000, "what was written before the message of round " + round);
            pair.near().sent().next().expect(2, WcOpcode.SEND);
            env.moved(16_001);
        }
    }

    private static void laterWins(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 16, 1, REMOTE_WRITE);
        final Memory from = pair.near().memory(16 * 1024);
        final Memory to = pair.far().memory(8192, REMOTE_WRITE);
        final SendRequest[] all = new SendRequest[16];
        final Random random = env.random();
        for (int round = 0; round < env.times(10, 100); round++) {
            final byte[] model = new byte[2048];
            to.buffer().setMemory(0, 2048, (byte) 0);
            for (int i = 0; i < 16; i++) {
                final int at = random.nextInt(1024);
                from.fill(round + i, i * 1024, 1024);
                from.buffer().getBytes(i * 1024, model, at, 1024);
                all[i] = OneSided.write(from, i * 1024, 1024, to, at).wrId(i);
            }
            Check.equal(16, pair.nearQp().postSend(all, 16), "posted");
            for (int i = 0; i < 16; i++) {
                pair.near().sent().next().expect(i, WcOpcode.RDMA_WRITE);
                env.moved(1024);
            }
            to.expectBytes(model, 0, "overlapping writes of round " + round);
        }
    }

    private static void writeToItself(final ConformanceEnv env) {
        final Node node = Node.near(env, 4);
        final RcPair pair = RcPair.toItself(env, node, 4, REMOTE_WRITE, REMOTE_READ);
        final Memory memory = node.memory(8192, REMOTE_WRITE, REMOTE_READ).fill(5, 0, 3000);
        Check.ok(pair.nearQp().postSend(OneSided.write(memory, 0, 3000, memory, 4097).wrId(1)), "post");
        node.sent().next().expect(1, WcOpcode.RDMA_WRITE);
        memory.expectPattern(5, 4097, 3000, "written to itself");
        env.moved(3000);
    }

    /** All of a region, its first byte, its last byte: the bounds are those of the region, not of its pages. */
    private static void edges(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_WRITE);
        final Memory from = pair.near().memory(16_384);
        final Memory to = pair.far().memory(16_384);
        for (final int[] part : new int[][] {{100, 1}, {4095, 2}, {1, 8190}, {4096, 4096}, {4000, 200}}) {
            final int start = part[0];
            final int length = part[1];
            final MemoryRegion region =
                to.allowing(env, pair.far().pd(), start, length, AccessFlag.LOCAL_WRITE, REMOTE_WRITE);
            for (final int[] piece : new int[][] {{0, length}, {0, 1}, {length - 1, 1}}) {
                to.guard();
                from.fill(start, 0, piece[1]);
                Check.ok(pair.nearQp().postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE).wrId(9)
                    .sge(from.at(0), piece[1], from.lkey())
                    .remote(region.address() + piece[0], region.rkey())), "post");
                pair.near().sent().next().expect(9, WcOpcode.RDMA_WRITE);
                to.expectPattern(start, start + piece[0], piece[1], "in a region of " + length + " bytes");
                to.expectGuard(0, start + piece[0], "before");
                to.expectGuard(start + piece[0] + piece[1], 16_384, "behind");
                env.moved(piece[1]);
            }
        }
    }

    private static void writeNothing(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_WRITE);
        final SendRequest request = new SendRequest().opcode(SendOpcode.RDMA_WRITE).wrId(3).remote(0x1234, 0x5678);
        Check.ok(pair.nearQp().postSend(request), "post");
        pair.near().sent().next().expect(3, WcOpcode.RDMA_WRITE);
        env.moved(0);
    }

    private static void writeUnsignaled(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 8, 1, REMOTE_WRITE);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096, REMOTE_WRITE);
        for (int round = 0; round < env.times(5, 50); round++) {
            for (int i = 0; i < 8; i++) {
                from.fill(round + i, 64 * i, 64);
                Check.ok(pair.nearQp().postSend(OneSided.write(from, 64 * i, 64, to, 64 * i).wrId(i)
                    .flags(i == 7 ? SendRequest.SIGNALED : 0)), "post " + i + " of round " + round);
            }
            pair.near().sent().next().expect(7, WcOpcode.RDMA_WRITE);
            Check.equal(List.of(), pair.near().sent().available(), "completions of unsignaled writes");
            for (int i = 0; i < 8; i++) {
                to.expectPattern(round + i, 64 * i, 64, "unsignaled write " + i);
                env.moved(64);
            }
        }
    }

    private static void writeImmediate(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 4, 1, REMOTE_WRITE);
        final Memory from = pair.near().memory(8192);
        final Memory to = pair.far().memory(8192, REMOTE_WRITE);
        final Memory receive = pair.far().memory(64).guard();
        final int[] imms = {0, 1, 0x1234_5678, 0x8000_0001, -1};
        for (int i = 0; i < imms.length; i++) {
            final int length = 1700 * i;
            Check.ok(pair.farQp().postReceive(i, receive.at(0), 64, receive.lkey()), "post receive");
            from.fill(i, 0, length);
            Check.ok(pair.nearQp().postSend(OneSided.write(from, 0, length, to, 100).wrId(9)
                .opcode(SendOpcode.RDMA_WRITE_WITH_IMM).immData(imms[i])), "post");
            final Wc received = pair.far().received().next().expect(i, WcOpcode.RECV_RDMA_WITH_IMM)
                .expectBytes(length);
            Check.that(received.hasImm() && received.imm() == imms[i], "0x%x arrived as %s", imms[i], received);
            to.expectPattern(i, 100, length, "written before its immediate data");
            pair.near().sent().next().expect(9, WcOpcode.RDMA_WRITE);
            env.moved(length);
        }
        receive.expectGuard(0, 64, "receive buffer");
    }

    private static void writeImmediateWaits(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 4, 1, REMOTE_WRITE);
        final Memory from = pair.near().memory(4096).fill(1, 0, 64);
        final Memory to = pair.far().memory(4096, REMOTE_WRITE);
        Check.ok(pair.nearQp().postSend(OneSided.write(from, 0, 64, to, 0).wrId(1)
            .opcode(SendOpcode.RDMA_WRITE_WITH_IMM).immData(5)), "post");
        pair.near().sent().none(SILENCE, "there is no receive for the immediate data");
        Check.ok(pair.farQp().postReceive(new ReceiveRequest(0).wrId(2)), "post an empty receive");
        pair.far().received().next().expect(2, WcOpcode.RECV_RDMA_WITH_IMM).expectBytes(64);
        pair.near().sent().next().expect(1, WcOpcode.RDMA_WRITE);
        to.expectPattern(1, 0, 64, "what had waited");
        env.moved(64);
    }

    private static void readEverySize(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_READ);
        final Memory into = pair.near().memory(MAX_SIZE + 8192);
        final Memory from = pair.far().memory(MAX_SIZE + 8192, REMOTE_READ);
        read(env, pair, into, 5, from, 77, 0);
        for (int size = 1; size <= MAX_SIZE; size <<= 1) {
            for (int length = Math.max(1, size - 1); length <= Math.min(MAX_SIZE, size + 1); length++) {
                read(env, pair, into, 64 + length % 61, from, 64 + length % 53, length);
            }
        }
    }

    private static void read(
        final ConformanceEnv env, final RcPair pair, final Memory into, final int intoOffset, final Memory from,
        final int fromOffset, final int length) {
        final int seed = env.random().nextInt();
        from.fill(seed, fromOffset, length);
        final int low = Math.max(0, intoOffset - 64);
        final int high = Math.min(into.buffer().capacity(), intoOffset + length + 64);
        into.buffer().setMemory(low, high - low, Memory.GUARD);
        Check.ok(pair.nearQp().postSend(OneSided.read(into, intoOffset, length, from, fromOffset).wrId(seed)), "post");
        pair.near().sent().next().expect(seed, WcOpcode.RDMA_READ).expectBytes(length);
        final String what = length + " bytes read from offset " + fromOffset;
        into.expectPattern(seed, intoOffset, length, what);
        into.expectGuard(low, intoOffset, "before " + what);
        into.expectGuard(intoOffset + length, high, "behind " + what);
        env.moved(length);
    }

    private static void readEveryOffset(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_READ);
        final Memory into = pair.near().memory(3 * 4096);
        final Memory from = pair.far().memory(3 * 4096, REMOTE_READ);
        for (int offset = 0; offset < 4096; offset += env.times(257, 61)) {
            read(env, pair, into, 4096 - offset, from, offset, 100);
            read(env, pair, into, offset, from, 4096 - offset, 4097);
        }
    }

    private static void readElements(final ConformanceEnv env) {
        final int most = Math.min(env.device().attributes().maxSge(), env.peer().attributes().maxSge());
        final RcPair pair = RcPair.allowing(env, 2, most, REMOTE_READ);
        final Memory into = pair.near().memory(1 << 16);
        final Memory from = pair.far().memory(1 << 16, REMOTE_READ);
        for (int count = 1; count <= most; count++) {
            for (final int length : new int[] {count, 1000, 20_000}) {
                final byte[] message = new byte[length];
                env.random().nextBytes(message);
                from.buffer().putBytes(333, message);
                into.guard();
                final byte[] model = new byte[length + count];
                Arrays.fill(model, Memory.GUARD);
                final SendRequest request = new SendRequest(most).opcode(SendOpcode.RDMA_READ)
                    .wrId(count).remote(from.at(333), from.rkey());
                Pieces.split(env.random(), length, count, (piece, start, size) -> {
                    System.arraycopy(message, start, model, start + piece, size);
                    request.addSge(into.at(start + piece), size, into.lkey());
                });
                Check.ok(pair.nearQp().postSend(request), "post");
                pair.near().sent().next().expect(count, WcOpcode.RDMA_READ).expectBytes(length);
                into.expectBytes(model, 0, count + " pieces");
                into.expectGuard(model.length, 1 << 16, "behind " + count + " pieces");
                env.moved(length);
            }
        }
    }

    private static void readAfterWrite(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 4, 1, REMOTE_READ, REMOTE_WRITE);
        final Memory near = pair.near().memory(8192);
        final Memory far = pair.far().memory(4096, REMOTE_READ, REMOTE_WRITE);
        for (int round = 0; round < env.times(20, 200); round++) {
            near.fill(round, 0, 3000);
            final SendRequest[] both = {OneSided.write(near, 0, 3000, far, 11).wrId(1),
                OneSided.read(near, 4096, 3000, far, 11).wrId(2)};
            Check.equal(2, pair.nearQp().postSend(both, 2), "posted");
            pair.near().sent().next().expect(1, WcOpcode.RDMA_WRITE);
            pair.near().sent().next().expect(2, WcOpcode.RDMA_READ);
            near.expectPattern(round, 4096, 3000, "read back in round " + round);
            env.moved(6000);
        }
    }

    private static void readThenFencedSend(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 4, 1, REMOTE_READ);
        final Memory near = pair.near().memory(4096);
        final Memory far = pair.far().memory(8192, REMOTE_READ);
        for (int round = 0; round < env.times(20, 200); round++) {
            far.fill(round, 0, 2000);
            Check.ok(pair.farQp().postReceive(7, far.at(4096), 2000, far.lkey()), "post receive");
            final SendRequest[] both = {OneSided.read(near, 0, 2000, far, 0).wrId(1),
                new SendRequest().wrId(2).sge(near.at(0), 2000, near.lkey())
                    .flags(SendRequest.FENCE | SendRequest.SIGNALED)};
            Check.equal(2, pair.nearQp().postSend(both, 2), "posted");
            pair.far().received().next().expect(7, WcOpcode.RECV).expectBytes(2000);
            far.expectPattern(round, 4096, 2000, "sent behind the fence in round " + round);
            pair.near().sent().next().expect(1, WcOpcode.RDMA_READ);
            pair.near().sent().next().expect(2, WcOpcode.SEND);
            env.moved(4000);
        }
    }

    private static void readBothDirections(final ConformanceEnv env) {
        final RcPair pair = RcPair.unconnected(env, Node.near(env, 8), Node.far(env, 8), 8, 1).connect(
            new QpAttributes().accessFlags(REMOTE_READ),
            new QpAttributes().accessFlags(REMOTE_READ));
        final Memory near = pair.near().memory(16_384, REMOTE_READ).fill(1, 0, 8192);
        final Memory far = pair.far().memory(16_384, REMOTE_READ).fill(2, 0, 8192);
        for (int i = 0; i < 8; i++) {
            Check.ok(pair.nearQp().postSend(
                OneSided.read(near, 8192 + 1024 * i, 1024, far, 1024 * i).wrId(i)), "post near");
            Check.ok(pair.farQp().postSend(
                OneSided.read(far, 8192 + 1024 * i, 1024, near, 1024 * i).wrId(i)), "post far");
        }
        for (int i = 0; i < 8; i++) {
            pair.near().sent().next().expect(i, WcOpcode.RDMA_READ);
            pair.far().sent().next().expect(i, WcOpcode.RDMA_READ);
            env.moved(2048);
        }
        near.expectPattern(2, 8192, 8192, "read by the near side");
        far.expectPattern(1, 8192, 8192, "read by the far side");
    }

    /** As many as the queue holds, over a connection that has one under way at a time: the others wait their turn. */
    private static void readMany(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 64, 1, REMOTE_READ);
        final Memory near = pair.near().memory(64 * 64);
        final Memory far = pair.far().memory(64 * 64, REMOTE_READ).fill(3, 0, 64 * 64);
        final SendRequest[] all = new SendRequest[64];
        for (int i = 0; i < all.length; i++) {
            all[i] = OneSided.read(near, 64 * i, 64, far, 64 * i).wrId(i);
        }
        Check.equal(64, pair.nearQp().postSend(all, 64), "posted");
        for (int i = 0; i < all.length; i++) {
            pair.near().sent().next().expect(i, WcOpcode.RDMA_READ);
            env.moved(64);
        }
        near.expectPattern(3, 0, 64 * 64, "64 reads");
    }

    private static void readNothing(final ConformanceEnv env) {
        final RcPair pair = RcPair.allowing(env, 2, 1, REMOTE_READ);
        final SendRequest request = new SendRequest().opcode(SendOpcode.RDMA_READ).wrId(3).remote(0x1234, 0x5678);
        Check.ok(pair.nearQp().postSend(request), "post");
        pair.near().sent().next().expect(3, WcOpcode.RDMA_READ).expectBytes(0);
        env.moved(0);
    }
}
