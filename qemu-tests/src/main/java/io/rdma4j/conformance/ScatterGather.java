/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;

import java.util.Random;

/**
 * One message between pieces of memory, compared with a plain model: the bytes of the gathered pieces, one after the
 * other, stand in the scattered pieces, and every other byte of the target is what it was.
 */
final class ScatterGather {
    private final ConformanceEnv env;
    private final RcPair pair;
    private final Memory from;
    private final Memory to;
    private final byte[] model;

    ScatterGather(final ConformanceEnv env, final RcPair pair, final Memory from, final Memory to) {
        this.env = env;
        this.pair = pair;
        this.from = from;
        this.to = to;
        this.model = new byte[to.buffer().capacity()];
        to.buffer().getBytes(0, model);
    }

    /** Moves a message of some length out of and into so many pieces at random places. */
    void exchange(final int sends, final int receives, final int length) {
        post(sends, receives, length, 1);
        pair.near().sent().next().expect(1, WcOpcode.SEND);
        pair.far().received().next().expect(1, WcOpcode.RECV).expectBytes(length);
        compare(sends + " pieces to " + receives + ", " + length + " bytes");
        env.moved(length);
    }

    /** Posts one message and works out what the target must look like when it has arrived. */
    void post(final int sends, final int receives, final int length, final long wrId) {
        final Random random = env.random();
        final byte[] message = new byte[length];
        random.nextBytes(message);
        final int[] gather = split(random, length, sends);
        final int[] scatter = split(random, length, receives);
        final SendRequest send = new SendRequest(sends).wrId(wrId);
        final ReceiveRequest receive = new ReceiveRequest(receives).wrId(wrId);
        int sourceAt = place(random, from, length, sends);
        int done = 0;
        for (final int piece : gather) {
            from.buffer().putBytes(sourceAt, message, done, piece);
            send.addSge(from.at(sourceAt), piece, from.lkey());
            sourceAt += piece + 1;
            done += piece;
        }
        int targetAt = place(random, to, length, receives);
        done = 0;
        for (final int piece : scatter) {
            System.arraycopy(message, done, model, targetAt, piece);
            receive.addSge(to.at(targetAt), piece, to.lkey());
            targetAt += piece + 1;
            done += piece;
        }
        Check.ok(pair.farQp().postReceive(receive), "post receive");
        Check.ok(pair.nearQp().postSend(send), "post send");
    }

    /** The whole target is what the model says. */
    void compare(final String what) {
        to.expectBytes(model, 0, what);
    }

    /** A place for a message in pieces with one byte between them. */
    private static int place(final Random random, final Memory memory, final int length, final int pieces) {
        return random.nextInt(memory.buffer().capacity() - length - pieces + 1);
    }

    private static int[] split(final Random random, final int length, final int pieces) {
        final int[] cuts = random.ints(pieces - 1L, 0, length + 1).sorted().toArray();
        final int[] sizes = new int[pieces];
        int before = 0;
        for (int i = 0; i < pieces; i++) {
            final int cut = i < cuts.length ? cuts[i] : length;
            sizes[i] = cut - before;
            before = cut;
        }
        return sizes;
    }
}
