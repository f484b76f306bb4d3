/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WcOpcode;

/** Two connected RC QPs, each with a side of its own. */
final class RcPair {
    private final ConformanceEnv env;
    private final Node near;
    private final Node far;
    private final QueuePair nearQp;
    private final QueuePair farQp;

    private RcPair(final ConformanceEnv env, final Node near, final Node far, final int maxWr, final int maxSge) {
        this.env = env;
        this.near = near;
        this.far = far;
        this.nearQp = near.rc(maxWr, maxSge);
        this.farQp = far.rc(maxWr, maxSge);
    }

    /** A connected pair, with CQs as large as its queues. */
    static RcPair connected(final ConformanceEnv env, final int maxWr, final int maxSge) {
        return between(env, Node.near(env, maxWr), Node.far(env, maxWr), maxWr, maxSge);
    }

    /** A connected pair between two sides that others use too. */
    static RcPair between(
        final ConformanceEnv env, final Node near, final Node far, final int maxWr, final int maxSge) {
        final RcPair pair = new RcPair(env, near, far, maxWr, maxSge);
        pair.connect();
        return pair;
    }

    /** Brings both QPs from RESET to RTS. */
    void connect() {
        QpConnector.connect(nearQp, farQp.localAddress());
        QpConnector.connect(farQp, nearQp.localAddress());
    }

    Node near() {
        return near;
    }

    Node far() {
        return far;
    }

    QueuePair nearQp() {
        return nearQp;
    }

    QueuePair farQp() {
        return farQp;
    }

    /** Sends one message from near to far and checks it, its completions, and the bytes around it. */
    void exchange(
        final Memory from, final int fromOffset, final Memory to, final int toOffset, final int length) {
        final int guard = 64;
        final int seed = env.random().nextInt();
        from.fill(seed, fromOffset, length);
        final int low = Math.max(0, toOffset - guard);
        final int high = Math.min(to.buffer().capacity(), toOffset + length + guard);
        to.buffer().setMemory(low, high - low, Memory.GUARD);
        Check.ok(farQp.postReceive(seed, to.at(toOffset), length, to.lkey()), "post receive");
        Check.ok(nearQp.postSend(~(long) seed, from.at(fromOffset), length, from.lkey()), "post send");
        near.sent().next().expect(~(long) seed, WcOpcode.SEND);
        far.received().next().expect(seed, WcOpcode.RECV).expectBytes(length);
        to.expectPattern(seed, toOffset, length, length + " bytes received at offset " + toOffset);
        to.expectGuard(low, toOffset, "before " + length + " bytes received at offset " + toOffset);
        to.expectGuard(toOffset + length, high, "behind " + length + " bytes received at offset " + toOffset);
        env.moved(length);
    }

    /** Sends one message and takes only the sender's completion; the receiver's is left to the case. */
    void sendUnseen(final int length) {
        final Memory from = near.memory(length);
        final Memory to = far.memory(length);
        Check.ok(farQp.postReceive(1, to.at(0), length, to.lkey()), "post receive");
        Check.ok(nearQp.postSend(2, from.at(0), length, from.lkey()), "post send");
        near.sent().next().expect(2, WcOpcode.SEND);
        env.moved(length);
    }
}
