/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.verbs.AccessFlag.REMOTE_ATOMIC;
import static io.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/** What becomes of requests that nobody answers, or that the peer is not ready for. */
final class RetryCases {
    private static final Duration SILENCE = Duration.ofMillis(20);
    private static final String FORCED = "qp-attrs-forced";
    /** 4.096 microseconds times 2 to the power of this, so about a tenth of a millisecond. */
    private static final int TIMEOUT = 5;

    private RetryCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("retry.peerIsGone", RetryCases::peerIsGone),
            ConformanceCase.of("retry.peerWasNeverThere", RetryCases::peerWasNeverThere),
            ConformanceCase.of("retry.peerIsInReset", RetryCases::peerIsInReset).needs(Feature.QP_RESET),
            ConformanceCase.of("retry.peerIsInErr", RetryCases::peerIsInErr).needs(Feature.QP_FLUSH),
            ConformanceCase.of("retry.peerTalksToSomebodyElse", RetryCases::peerTalksToOther),
            ConformanceCase.of("retry.everyOperationRunsOutOfRetries", RetryCases::everyOperation)
                .needs(Feature.RDMA_WRITE, Feature.RDMA_READ, Feature.ATOMICS),
            ConformanceCase.of("retry.receiverNotReadyRunsOut", RetryCases::rnrRunsOut),
            ConformanceCase.of("retry.receiverNotReadyInTime", RetryCases::rnrInTime),
            ConformanceCase.of("retry.receiverNotReadyForEver", RetryCases::rnrForEver),
            ConformanceCase.of("retry.receiverIsOnlyInRtr", RetryCases::receiverInRtr),
            ConformanceCase.of("retry.noDepthForReads", RetryCases::noDepth)
                .needs(Feature.RDMA_READ, Feature.ATOMICS, Feature.REMOTE_KEYS));
    }

    /** A pair whose near side gives up soon. */
    private static RcPair impatient(
        final ConformanceEnv env, final Node near, final Node far, final AccessFlag... rights) {
        return RcPair.unconnected(env, near, far, 4, 1).connect(
            impatience(env), new QpAttributes().accessFlags(Set.of(rights)));
    }

    private static RcPair impatient(final ConformanceEnv env) {
        return impatient(env, Node.near(env, 4), Node.far(env, 4));
    }

    private static QpAttributes impatience(final ConformanceEnv env) {
        requireLimits(env);
        return new QpAttributes().timeout(env.shortTimeout(TIMEOUT)).retryCnt(2);
    }

    private static void requireLimits(final ConformanceEnv env) {
        if (env.isPeculiar(FORCED)) {
            throw env.skip("this device retries for ever, whatever it is told (%s)", FORCED);
        }
    }

    /** A send to nobody ends with RETRY_EXC_ERR, and what was posted behind it is flushed. */
    private static void runsOut(final RcPair pair, final String why) {
        final Memory from = pair.near().memory(64);
        Check.ok(pair.nearQp().postReceive(3, from.at(0), 64, from.lkey()), "post receive");
        final SendRequest[] both = {new SendRequest().wrId(1).sge(from.at(0), 64, from.lkey()),
            new SendRequest().wrId(2).sge(from.at(0), 64, from.lkey())};
        Check.equal(2, pair.nearQp().postSend(both, 2), "posted when " + why);
        pair.near().sent().next().expectStatus(1, WcStatus.RETRY_EXC_ERR);
        pair.near().sent().next().expectStatus(2, WcStatus.WR_FLUSH_ERR);
        pair.near().received().next().expectStatus(3, WcStatus.WR_FLUSH_ERR);
        Check.equal(QpState.ERR, pair.nearQp().query().state(), "state of the sender when " + why);
    }

    private static void peerIsGone(final ConformanceEnv env) {
        final RcPair pair = impatient(env);
        final Memory from = pair.near().memory(64);
        final Memory to = pair.far().memory(64);
        pair.exchange(from, 0, to, 0, 64);
        pair.farQp().close();
        runsOut(pair, "the peer is closed");
    }

    private static void peerWasNeverThere(final ConformanceEnv env) {
        final RcPair pair = RcPair.unconnected(env, Node.near(env, 4), Node.far(env, 4), 4, 1);
        final QpAddress far = pair.farQp().localAddress();
        QpConnector.connect(pair.nearQp(), new QpAddress(far.gid(), 0xfffff0, far.psn(), far.qkey()), impatience(env));
        runsOut(pair, "no QP has that number");
    }

    private static void peerIsInReset(final ConformanceEnv env) {
        for (final RcPair pair : List.of(impatient(env), impatient(env).warm())) {
            pair.farQp().modify(QpAttributes.to(QpState.RESET));
            runsOut(pair, "the peer is in RESET");
        }
    }

    private static void peerIsInErr(final ConformanceEnv env) {
        for (final RcPair pair : List.of(impatient(env), impatient(env).warm())) {
            final Memory to = pair.far().memory(64).guard();
            Check.ok(pair.farQp().postReceive(9, to.at(0), 64, to.lkey()), "post receive");
            pair.farQp().modify(QpAttributes.to(QpState.ERR));
            pair.far().received().next().expectStatus(9, WcStatus.WR_FLUSH_ERR);
            runsOut(pair, "the peer is in ERR");
            to.expectGuard(0, 64, "receive buffer");
        }
    }

    /** The peer knows this QP's number, but is connected to another: it must not take the message. */
    private static void peerTalksToOther(final ConformanceEnv env) {
        final Node near = Node.near(env, 16);
        final Node far = Node.far(env, 16);
        final RcPair good = RcPair.between(env, near, far, 4, 1).warm();
        final QueuePair stranger = near.rc(4, 1);
        QpConnector.connect(stranger, good.farQp().localAddress(), impatience(env));
        final Memory from = near.memory(64);
        final Memory to = far.memory(64).guard();
        Check.ok(good.farQp().postReceive(5, to.at(0), 64, to.lkey()), "post receive");
        Check.ok(stranger.postSend(1, from.at(0), 64, from.lkey()), "post the stranger's send");
        near.sent().next().expectStatus(1, WcStatus.RETRY_EXC_ERR);
        far.received().none(SILENCE, "the message came from a stranger");
        to.expectGuard(0, 64, "receive buffer");
        Check.ok(good.nearQp().postSend(2, from.at(0), 64, from.lkey()), "post the peer's send");
        near.sent().next().expect(2, WcOpcode.SEND);
        far.received().next().expect(5, WcOpcode.RECV).expectBytes(64);
        env.moved(64);
    }

    private static void everyOperation(final ConformanceEnv env) {
        final Node near = Node.near(env, 4);
        final Node far = Node.far(env, 4);
        final Memory local = near.memory(64).guard();
        final Memory remote = far.memory(64, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC).guard();
        for (final SendOpcode opcode : List.of(SendOpcode.SEND, SendOpcode.SEND_WITH_IMM, SendOpcode.RDMA_WRITE,
            SendOpcode.RDMA_WRITE_WITH_IMM, SendOpcode.RDMA_READ, SendOpcode.ATOMIC_CMP_AND_SWP,
            SendOpcode.ATOMIC_FETCH_AND_ADD)) {
            final RcPair pair = impatient(env, near, far, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC).warm();
            pair.farQp().close();
            Check.ok(pair.nearQp().postSend(new SendRequest().opcode(opcode).wrId(8)
                .sge(local.at(0), 8, local.lkey()).remote(remote.at(0), remote.rkey())), "post " + opcode);
            near.sent().next().expectStatus(8, WcStatus.RETRY_EXC_ERR);
            pair.nearQp().close();
        }
        local.expectGuard(0, 64, "memory of the requester");
        remote.expectGuard(0, 64, "memory of the peer that is gone");
    }

    private static RcPair limited(final ConformanceEnv env, final int rnrRetry, final int timer) {
        requireLimits(env);
        return RcPair.unconnected(env, Node.near(env, 4), Node.far(env, 4), 4, 1).connect(
            new QpAttributes().rnrRetry(rnrRetry), new QpAttributes().minRnrTimer(timer));
    }

    private static void rnrRunsOut(final ConformanceEnv env) {
        for (final int retries : new int[] {0, 1, 6}) {
            final RcPair pair = limited(env, retries, 1);
            final Memory from = pair.near().memory(64);
            Check.ok(pair.nearQp().postSend(1, from.at(0), 64, from.lkey()), "post send");
            pair.near().sent().next().expectStatus(1, WcStatus.RNR_RETRY_EXC_ERR);
            Check.equal(QpState.ERR, pair.nearQp().query().state(), "state of the sender");
            Check.equal(QpState.RTS, pair.farQp().query().state(), "state of the receiver");
            pair.far().received().none(Duration.ofMillis(1), "nothing was posted");
        }
    }

    /** Timer code 31 is 491 ms: with six retries there is time enough. */
    private static void rnrInTime(final ConformanceEnv env) {
        final RcPair pair = limited(env, 6, 31);
        final Memory from = pair.near().memory(64).fill(4, 0, 64);
        final Memory to = pair.far().memory(64);
        Check.ok(pair.nearQp().postSend(1, from.at(0), 64, from.lkey()), "post send");
        pair.near().sent().none(SILENCE, "there is time left");
        Check.ok(pair.farQp().postReceive(2, to.at(0), 64, to.lkey()), "post receive");
        pair.far().received().next().expect(2, WcOpcode.RECV);
        pair.near().sent().next().expect(1, WcOpcode.SEND);
        to.expectPattern(4, 0, 64, "message that had waited");
        env.moved(64);
    }

    private static void rnrForEver(final ConformanceEnv env) {
        final RcPair pair = limited(env, 7, 1);
        final Memory from = pair.near().memory(64);
        final Memory to = pair.far().memory(64);
        Check.ok(pair.nearQp().postSend(1, from.at(0), 64, from.lkey()), "post send");
        pair.near().sent().none(Duration.ofMillis(60), "7 stands for no limit");
        Check.ok(pair.farQp().postReceive(2, to.at(0), 64, to.lkey()), "post receive");
        pair.near().sent().next().expect(1, WcOpcode.SEND);
        pair.far().received().next().expect(2, WcOpcode.RECV);
        env.moved(64);
    }

    /** A QP in RTR receives already; it cannot send yet. */
    private static void receiverInRtr(final ConformanceEnv env) {
        final RcPair pair = RcPair.unconnected(env, Node.near(env, 4), Node.far(env, 4), 4, 1);
        QpConnector.connect(pair.nearQp(), pair.farQp().localAddress());
        pair.farQp().modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of()));
        final Memory from = pair.near().memory(64).fill(4, 0, 64);
        final Memory to = pair.far().memory(64);
        Check.ok(pair.farQp().postReceive(2, to.at(0), 64, to.lkey()), "post receive in INIT");
        pair.farQp().modify(QpCases.rtrAttributes(pair.nearQp()));
        Check.ok(pair.nearQp().postSend(1, from.at(0), 64, from.lkey()), "post send");
        pair.far().received().next().expect(2, WcOpcode.RECV);
        pair.near().sent().next().expect(1, WcOpcode.SEND);
        to.expectPattern(4, 0, 64, "message to a QP in RTR");
        Events.expectIfAny(env, env.peer(), AsyncEventType.COMM_EST, pair.farQp());
        env.moved(64);
    }

    /** A responder without depth for READs and atomics refuses them as invalid. */
    private static void noDepth(final ConformanceEnv env) {
        final Node near = Node.near(env, 4);
        final Node far = Node.far(env, 4);
        final Memory local = near.memory(64).guard();
        final Memory remote = far.memory(64, REMOTE_READ, REMOTE_ATOMIC).guard();
        for (final SendRequest request : List.of(OneSided.read(local, 0, 8, remote, 0),
            OneSided.fetchAndAdd(local, 0, remote, 0, 1), OneSided.compareAndSwap(local, 0, remote, 0, 0, 1))) {
            final RcPair pair = RcPair.unconnected(env, near, far, 4, 1).connect(new QpAttributes(),
                new QpAttributes().accessFlags(REMOTE_READ, REMOTE_ATOMIC).maxDestRdAtomic(0));
            Check.ok(pair.nearQp().postSend(request.wrId(4)), "post");
            near.sent().next().expectStatus(4, WcStatus.REM_INV_REQ_ERR);
            Events.expectIfAny(env, env.peer(), AsyncEventType.QP_REQ_ERR, pair.farQp());
            pair.close();
        }
        local.expectGuard(0, 64, "memory of the requester");
        remote.expectGuard(0, 64, "memory of the peer");
    }
}
