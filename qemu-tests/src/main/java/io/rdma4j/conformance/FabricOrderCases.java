/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.fabric.AtomicOp;
import io.rdma4j.fabric.AtomicRequest;
import io.rdma4j.fabric.AtomicType;
import io.rdma4j.fabric.Capability;
import io.rdma4j.fabric.Message;
import io.rdma4j.fabric.MessageOrder;
import io.rdma4j.fabric.OperationKind;
import io.rdma4j.verbs.Feature;

import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * What msg_order promises: operations that are under way at once are carried out in the order in which they were
 * posted, on connected endpoints and on reliable datagrams.
 */
final class FabricOrderCases {
    private static final int BATCH = 16;
    private static final int LONGEST = 5000;
    private static final int SLOT = 8192;
    private static final int RANGE = 10_000;
    private static final long KEY = 0x515;
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private FabricOrderCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("order.sendAfterSend", FabricOrderCases::sends).within(LIMIT),
            rma("order.writeAfterWrite", FabricOrderCases::writes),
            rma("order.readAfterWrite", FabricOrderCases::readsBehindWrites),
            rma("order.readAfterRead", FabricOrderCases::reads),
            rma("order.atomicsAndWritesAndReads", FabricOrderCases::atomics).needs(Feature.ATOMICS));
    }

    private static ConformanceCase rma(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.RDMA_WRITE, Feature.RDMA_READ).within(LIMIT);
    }

    /** Two ends, memory on both sides, and a model of the peer's. */
    private static final class Play {
        final ConformanceEnv env;
        final FabricEnds ends;
        final FabricMemory here;
        final FabricMemory there;
        final Random random;
        final byte[] model;
        final Message message = new Message(1);
        int underWay;

        Play(final ConformanceEnv env, final FabricEnds ends) {
            this.env = env;
            this.ends = ends;
            random = env.random();
            here = ends.near().buffer(BATCH * SLOT);
            there = ends.far().target(RANGE, KEY);
            model = new byte[RANGE];
            there.buffer().getBytes(0, model);
        }

        /** Random bytes to a random place. */
        void write(final int slot) {
            final int length = 1 + random.nextInt(LONGEST);
            final int offset = random.nextInt(RANGE - length);
            final byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            here.buffer().putBytes(slot * SLOT, bytes);
            System.arraycopy(bytes, 0, model, offset, length);
            message.clear().add(here.at(slot * SLOT), length, here.region()).peer(ends.peer()).context(slot)
                .remote(there.remote(offset), there.region().key());
            ends.near().post(() -> ends.near().endpoint().writeMessage(message, 0), "write");
            underWay++;
            env.moved(length);
        }

        void read(final int slot, final int offset, final int length) {
            message.clear().add(here.at(slot * SLOT), length, here.region()).peer(ends.peer()).context(slot)
                .remote(there.remote(offset), there.region().key());
            ends.near().post(() -> ends.near().endpoint().readMessage(message, 0), "read");
            underWay++;
            env.moved(length);
        }

        void finish() {
            for (; underWay > 0; underWay--) {
                final FabricWc wc = ends.near().next();
                Check.equal(0, wc.errno(), "errno of %s", wc);
            }
        }

        void expectModel(final String what) {
            for (int i = 0; i < RANGE; i++) {
                Check.that(there.buffer().getByte(i) == model[i], "byte %d is not that of the model, %s", i, what);
            }
        }
    }

    private static List<Play> plays(final ConformanceEnv env, final Capability... capabilities) {
        return FabricEnds.ofEachKind(env, capabilities).stream().map(ends -> new Play(env, ends)).toList();
    }

    private static void sends(final ConformanceEnv env) {
        for (final FabricEnds ends : FabricEnds.ofEachKind(env, Capability.MSG)) {
            ends.expectOffered(MessageOrder.SAS);
            final FabricMemory from = ends.near().buffer(BATCH * SLOT);
            final FabricMemory to = ends.far().buffer(BATCH * SLOT);
            final Message message = new Message(1);
            for (int round = 0; round < env.times(3, 30); round++) {
                for (int i = 0; i < BATCH; i++) {
                    message.clear().add(to.at(i * SLOT), LONGEST, to.region()).context(i);
                    ends.far().post(() -> ends.far().endpoint().receiveMessage(message, 0), "receive");
                }
                for (int i = 0; i < BATCH; i++) {
                    // Long ones and short ones by turns: a short one would be the first to arrive.
                    final int length = i % 2 == 0 ? LONGEST - env.random().nextInt(100) : 1 + env.random().nextInt(64);
                    from.fill(BATCH * round + i, i * SLOT, length);
                    message.clear().add(from.at(i * SLOT), length, from.region()).peer(ends.peer()).context(length);
                    ends.near().post(() -> ends.near().endpoint().sendMessage(message, 0), "send");
                    env.moved(length);
                }
                for (int i = 0; i < BATCH; i++) {
                    final FabricWc sent = ends.near().next();
                    Check.equal(0, sent.errno(), "errno of %s", sent);
                    final FabricWc wc = ends.far().next().expect(i, OperationKind.RECEIVE).expectLength(sent.context());
                    to.expectPattern(BATCH * round + i, i * SLOT, (int) wc.length(), "message " + i);
                }
            }
        }
    }

    /** Ranges that overlap: each byte is that of the last write to it. */
    private static void writes(final ConformanceEnv env) {
        for (final Play play : plays(env, Capability.MSG, Capability.RMA)) {
            play.ends.expectOffered(MessageOrder.WAW, MessageOrder.RMA_WAW);
            for (int round = 0; round < env.times(3, 30); round++) {
                for (int i = 0; i < BATCH; i++) {
                    play.write(i);
                }
                play.finish();
                play.expectModel("after " + BATCH + " writes");
            }
        }
    }

    /** Writes, and reads of places that overlap them, all under way at once. */
    private static void readsBehindWrites(final ConformanceEnv env) {
        for (final Play play : plays(env, Capability.MSG, Capability.RMA)) {
            play.ends.expectOffered(MessageOrder.RAW, MessageOrder.RMA_RAW);
            final int[] offsets = new int[BATCH];
            final int[] lengths = new int[BATCH];
            for (int round = 0; round < env.times(3, 30); round++) {
                for (int i = 0; i < BATCH / 2; i++) {
                    play.write(i);
                }
                for (int i = BATCH / 2; i < BATCH; i++) {
                    lengths[i] = 1 + play.random.nextInt(LONGEST);
                    offsets[i] = play.random.nextInt(RANGE - lengths[i]);
                    play.read(i, offsets[i], lengths[i]);
                }
                play.finish();
                for (int i = BATCH / 2; i < BATCH; i++) {
                    for (int at = 0; at < lengths[i]; at++) {
                        Check.that(play.here.buffer().getByte(i * SLOT + at) == play.model[offsets[i] + at],
                            "byte %d of the read of %d at %d is not what was written before it", at, lengths[i],
                            offsets[i]);
                    }
                }
            }
        }
    }

    /** Of one byte that grows while they are under way: a later read has a later value, and none from before it. */
    private static void reads(final ConformanceEnv env) {
        for (final Play play : plays(env, Capability.MSG, Capability.RMA)) {
            play.ends.expectOffered(MessageOrder.RAR, MessageOrder.RMA_RAR);
            for (int round = 0; round < env.times(3, 30); round++) {
                for (int i = 0; i < BATCH; i++) {
                    play.there.buffer().putByteVolatile(0, (byte) i);
                    play.read(i, 0, i % 2 == 0 ? LONGEST : 1);
                }
                play.finish();
                int last = 0;
                for (int i = 0; i < BATCH; i++) {
                    final int value = play.here.buffer().getByte(i * SLOT);
                    Check.that(value >= i, "the read behind value %d has %d", i, value);
                    Check.that(value >= last, "read %d has %d, the one before it had %d", i, value, last);
                    last = value;
                }
            }
        }
    }

    private static void atomics(final ConformanceEnv env) {
        for (final Play play : plays(env, Capability.MSG, Capability.RMA, Capability.ATOMIC)) {
            play.ends.expectOffered(MessageOrder.ATOMIC_RAR, MessageOrder.ATOMIC_RAW, MessageOrder.ATOMIC_WAR,
                MessageOrder.ATOMIC_WAW);
            for (int round = 0; round < env.times(3, 30); round++) {
                atomicsBehind(play, round);
            }
        }
    }

    /**
     * A write of a number, atomics that change and fetch it, a read of it, all under way at once. Some of the atomics
     * are one request of the device, the others are several.
     */
    private static void atomicsBehind(final Play play, final int round) {
        final FabricMemory here = play.here;
        final long key = play.there.region().key();
        final long[] before = new long[BATCH];
        long value = round;
        here.buffer().putLong(0, value);
        play.message.clear().add(here.at(0), Long.BYTES, here.region()).peer(play.ends.peer())
            .remote(play.there.remote(0), key);
        play.ends.near().post(() -> play.ends.near().endpoint().writeMessage(play.message, 0), "write");
        final AtomicRequest request = new AtomicRequest();
        for (int i = 1; i < BATCH - 1; i++) {
            final long operand = 1L + play.random.nextInt(9);
            final AtomicOp op = List.of(AtomicOp.SUM, AtomicOp.PROD, AtomicOp.BXOR).get(play.random.nextInt(3));
            before[i] = value;
            value = switch (op) {
                case SUM -> value + operand;
                case PROD -> value * operand;
                default -> value ^ operand;
            };
            here.buffer().putLong(i * SLOT + Long.BYTES, operand);
            request.operation(op, AtomicType.INT64).operands(here.at(i * SLOT + Long.BYTES), 1, here.region())
                .result(here.at(i * SLOT), here.region()).peer(play.ends.peer()).remote(play.there.remote(0), key);
            play.ends.near().post(() -> play.ends.near().endpoint().atomic(request, 0), request.toString());
        }
        play.underWay = BATCH - 1;
        play.read(BATCH - 1, 0, Long.BYTES);
        play.finish();
        for (int i = 1; i < BATCH - 1; i++) {
            Check.equal(before[i], here.buffer().getLong(i * SLOT), "what atomic %d fetched", i);
        }
        Check.equal(value, here.buffer().getLong((BATCH - 1) * SLOT), "the read behind the atomics");
        Check.equal(value, play.there.buffer().getLong(0), "the number at the peer");
        play.env.moved(BATCH * Long.BYTES);
    }
}
