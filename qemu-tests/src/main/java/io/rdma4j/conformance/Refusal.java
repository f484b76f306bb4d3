/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.time.Duration;
import java.util.List;

/**
 * What both sides see of requests that are refused: the completion says why, what was posted behind and at the peer is
 * given back once, and nothing else happens. Each refusal is seen twice, on a pair that is new and on one that carried
 * messages, as devices have shorter ways for connections on which all went well.
 */
final class Refusal {
    private static final Duration SILENCE = Duration.ofMillis(1);
    private static final int WR = 4;
    private static final int REFUSED = 1;
    private static final int BEHIND = 2;
    private static final int BEFORE = 3;
    private static final int NEAR_RECEIVE = 71;
    private static final int FAR_RECEIVE = 70;
    private static final int LATE = 72;

    private final ConformanceEnv env;
    private final Node near;
    private final Node far;
    private final Memory nearMemory;
    private final Memory farMemory;
    private final Memory warmFrom;
    private final Memory warmTo;
    private RcPair pair;
    private AccessFlag[] allowed;
    private SendRequest before;

    Refusal(final ConformanceEnv env) {
        this.env = env;
        this.near = Node.near(env, WR);
        this.far = Node.far(env, WR);
        this.nearMemory = near.memory(64);
        this.farMemory = far.memory(64).guard();
        this.warmFrom = near.memory(RcPair.WARM);
        this.warmTo = far.memory(RcPair.WARM);
    }

    Node near() {
        return near;
    }

    Node far() {
        return far;
    }

    /**
     * What is carried out on a connection before the refusal, where its rights let it: so that a device remembers the
     * region in which the refused request is to find nothing.
     *
     * @param write an RDMA WRITE that changes nothing.
     * @return this.
     */
    Refusal after(final SendRequest write) {
        before = write;
        return this;
    }

    /** The pair that is refused next. */
    RcPair pair() {
        return pair;
    }

    /** Connects a pair whose far QP allows this; the one before is closed. */
    Refusal with(final AccessFlag... rights) {
        if (pair != null) {
            pair.close();
        }
        pair = RcPair.allowing(env, near, far, WR, 1, rights);
        allowed = rights;
        return this;
    }

    private void warm() {
        with(allowed).pair.warm(warmFrom, warmTo);
        if (before != null && List.of(allowed).contains(AccessFlag.REMOTE_WRITE)) {
            Check.ok(pair.nearQp().postSend(before.wrId(BEFORE)), "post write");
            near.sent().next().expect(BEFORE, WcOpcode.RDMA_WRITE);
        }
    }

    /**
     * The peer refuses, on a new connection and on one that carried messages: the connection ends on both sides, and
     * the peer's program is told.
     */
    void byPeer(final SendRequest request, final WcStatus status, final AsyncEventType event) {
        byPeerOnce(request, status, event);
        warm();
        byPeerOnce(request, status, event);
    }

    private void byPeerOnce(final SendRequest request, final WcStatus status, final AsyncEventType event) {
        post(request, status);
        // The peer's device may know, its program does not yet: what it posts is flushed as what it posted before.
        Check.ok(pair.farQp().postReceive(LATE, farMemory.at(0), 64, farMemory.lkey()), "post late receive");
        far.received().next().expectStatus(FAR_RECEIVE, WcStatus.WR_FLUSH_ERR);
        far.received().next().expectStatus(LATE, WcStatus.WR_FLUSH_ERR);
        Check.equal(QpState.ERR, pair.farQp().query().state(), "state of the peer");
        Events.expectIfAny(env, env.peer(), event, pair.farQp());
        afterwards();
    }

    /** This side refuses, on a new connection and on one that carried messages: the peer never hears of it. */
    void here(final SendRequest request, final WcStatus status) {
        hereOnce(request, status);
        warm();
        hereOnce(request, status);
    }

    private void hereOnce(final SendRequest request, final WcStatus status) {
        post(request, status);
        Check.equal(QpState.RTS, pair.farQp().query().state(), "state of the peer");
        afterwards();
    }

    private void post(final SendRequest request, final WcStatus status) {
        Check.ok(pair.farQp().postReceive(FAR_RECEIVE, farMemory.at(0), 64, farMemory.lkey()), "post far receive");
        Check.ok(pair.nearQp().postReceive(NEAR_RECEIVE, nearMemory.at(0), 64, nearMemory.lkey()), "post receive");
        // Behind a READ that fails when its answer comes, the peer would get it already: the fence holds it back.
        final SendRequest behind = new SendRequest().wrId(BEHIND).sge(nearMemory.at(0), 64, nearMemory.lkey())
            .flags(SendRequest.SIGNALED | (request.opcode() == SendOpcode.RDMA_READ ? SendRequest.FENCE : 0));
        Check.equal(2, pair.nearQp().postSend(new SendRequest[] {request.wrId(REFUSED), behind}, 2), "posted");
        near.sent().next().expectStatus(REFUSED, status);
        near.sent().next().expectStatus(BEHIND, WcStatus.WR_FLUSH_ERR);
        near.received().next().expectStatus(NEAR_RECEIVE, WcStatus.WR_FLUSH_ERR);
        Check.equal(QpState.ERR, pair.nearQp().query().state(), "state of the sender");
    }

    private void afterwards() {
        near.sent().none(SILENCE, "everything has completed already");
        far.received().none(SILENCE, "everything has completed already");
        farMemory.expectGuard(0, 64, "receive buffer of the peer");
    }
}
