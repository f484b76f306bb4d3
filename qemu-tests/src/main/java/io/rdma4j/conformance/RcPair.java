/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.WcOpcode;

import java.util.Set;
import java.util.function.Consumer;

/** Two connected RC QPs, each with a side of its own. */
final class RcPair {
    static final int WARM = 64;
    private static final int ROUNDS = 2;

    private final ConformanceEnv env;
    private final Node near;
    private final Node far;
    private final QueuePair nearQp;
    private final QueuePair farQp;
    private QpAttributes wishedNear = new QpAttributes();
    private QpAttributes wishedFar = new QpAttributes();

    private RcPair(
        final ConformanceEnv env, final Node near, final Node far, final QueuePair nearQp, final QueuePair farQp) {
        this.env = env;
        this.near = near;
        this.far = far;
        this.nearQp = nearQp;
        this.farQp = farQp;
    }

    /** A connected pair, with CQs as large as its queues. */
    static RcPair connected(final ConformanceEnv env, final int maxWr, final int maxSge) {
        return between(env, Node.near(env, maxWr), Node.far(env, maxWr), maxWr, maxSge);
    }

    /** A connected pair between two sides that others use too. */
    static RcPair between(
        final ConformanceEnv env, final Node near, final Node far, final int maxWr, final int maxSge) {
        return unconnected(env, near, far, maxWr, maxSge).connect(new QpAttributes(), new QpAttributes());
    }

    /** A connected pair whose far side lets the near side do these things. */
    static RcPair allowing(
        final ConformanceEnv env, final int maxWr, final int maxSge, final AccessFlag... rights) {
        return allowing(env, Node.near(env, maxWr), Node.far(env, maxWr), maxWr, maxSge, rights);
    }

    /** A pair between sides that others use too, whose far side lets the near side do these things. */
    static RcPair allowing(
        final ConformanceEnv env, final Node near, final Node far, final int maxWr, final int maxSge,
        final AccessFlag... rights) {
        return unconnected(env, near, far, maxWr, maxSge).connect(
            new QpAttributes(), new QpAttributes().accessFlags(Set.of(rights)));
    }

    /** A pair of which both QPs are in RESET. */
    static RcPair unconnected(
        final ConformanceEnv env, final Node near, final Node far, final int maxWr, final int maxSge) {
        return new RcPair(env, near, far, near.rc(maxWr, maxSge), far.rc(maxWr, maxSge));
    }

    /** Two QPs that were made by the case, connected here; from then on as any other pair. */
    static RcPair of(
        final ConformanceEnv env, final Node near, final Node far, final QueuePair nearQp, final QueuePair farQp) {
        return new RcPair(env, near, far, nearQp, farQp).connect(new QpAttributes(), new QpAttributes());
    }

    /** One QP that is its own peer. */
    static RcPair toItself(final ConformanceEnv env, final Node node, final int maxWr, final AccessFlag... rights) {
        final QueuePair qp = node.rc(maxWr, 1);
        QpConnector.connect(qp, qp.localAddress(),
            new QpAttributes().accessFlags(Set.of(rights)));
        return new RcPair(env, node, node, qp, qp);
    }

    /** Brings both QPs from RESET to RTS, with the attributes of last time. */
    void connect() {
        QpConnector.connect(nearQp, farQp.localAddress(), wishedNear);
        QpConnector.connect(farQp, nearQp.localAddress(), wishedFar);
    }

    /** Brings both QPs from RESET to RTS, with attributes of one's own. */
    RcPair connect(final QpAttributes toNear, final QpAttributes toFar) {
        wishedNear = env.patient(toNear);
        wishedFar = env.patient(toFar);
        connect();
        return this;
    }

    /** Brings both QPs back to RESET, and to RTS again. */
    void reconnect() {
        nearQp.modify(QpAttributes.to(QpState.RESET));
        farQp.modify(QpAttributes.to(QpState.RESET));
        connect();
    }

    /**
     * Has messages exchanged, so that the next one is carried out as on a connection on which all is well: devices, the
     * model of this project too, have a shorter way for those, which must check as much as the longer one.
     *
     * @return this.
     */
    RcPair warm() {
        return warm(near.memory(WARM), far.memory(WARM));
    }

    /** The same with memory of the caller's, of {@link #WARM} bytes at least: for those who warm up many pairs. */
    RcPair warm(final Memory from, final Memory to) {
        for (int i = 0; i < ROUNDS; i++) {
            exchange(from, 0, to, 0, WARM);
        }
        return this;
    }

    /** The same on a connection that is new, and on one that has carried messages. */
    static void coldAndWarm(final ConformanceEnv env, final Consumer<RcPair> part) {
        part.accept(connected(env, 4, 1));
        part.accept(connected(env, 4, 1).warm());
    }

    /** Makes room for other pairs between the same sides. */
    void close() {
        nearQp.close();
        farQp.close();
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
