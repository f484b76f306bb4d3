/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What states of a QP mean for what is posted: draining, flushing, the error state of datagram queues. */
final class StateCases {
    private static final String NO_DRAIN = "drained-send-queues-stay-drained";
    private static final Duration SILENCE = Duration.ofMillis(20);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private StateCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            drains("state.sqdHoldsWhatIsPosted", StateCases::sqdHolds),
            drains("state.sqdTellsWhenItIsDrained", StateCases::sqdTells),
            drains("state.sqdFinishesWhatWasBegun", StateCases::sqdFinishes),
            drains("state.sqdStillReceives", StateCases::sqdReceives),
            drains("state.sqdTakesNewAttributes", StateCases::sqdAttributes),
            drains("state.sqdFlushesOnErr", StateCases::sqdFlushes),
            ConformanceCase.of("state.errFlushesFullQueuesOncePerRequest", StateCases::errFlushesFull),
            ConformanceCase.of("state.errFlushesUnsignaledRequestsToo", StateCases::errFlushesUnsignaled),
            ConformanceCase.of("state.errAfterCompletionsKeepsThem", StateCases::errKeepsCompletions),
            ConformanceCase.of("state.errOfAQpWithSrqTellsTheLastReceive", StateCases::errWithSrq)
                .needs(Feature.QP_FLUSH, Feature.ASYNC_EVENTS),
            ConformanceCase.of("state.errOfOneQpLeavesTheOthers", StateCases::errLeavesOthers),
            ConformanceCase.of("state.resetTakesBackWhatIsPosted", StateCases::resetTakesBack)
                .needs(Feature.QP_RESET),
            ConformanceCase.of("state.sqeStopsOnlySending", StateCases::sqeStopsSending)
                .needs(Feature.PROTECTION_ERRORS, Feature.QP_FLUSH),
            ConformanceCase.of("state.firstMessageInRtrIsTold", StateCases::established)
                .needs(Feature.ASYNC_EVENTS, Feature.QP_EVENTS));
    }

    private static ConformanceCase drains(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, body).needs(Feature.QP_FLUSH, Feature.ASYNC_EVENTS);
    }

    /** From SQD to RTS. Before it is drained a device may refuse: Linux' rxe does until its task has run. */
    static void back(final ConformanceEnv env, final QueuePair qp) {
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        while (!isBack(qp, deadline)) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static boolean isBack(final QueuePair qp, final long deadline) {
        try {
            qp.modify(QpAttributes.to(QpState.RTS));
            return true;
        } catch (final RdmaException e) {
            if (qp.state() != QpState.SQD || System.nanoTime() - deadline >= 0) {
                throw e;
            }
            return false;
        }
    }

    private static void sqdHolds(final ConformanceEnv env) {
        env.skipIfPeculiar(NO_DRAIN);
        final RcPair pair = RcPair.connected(env, 8, 1);
        final Memory from = pair.near().memory(512).fill(1, 0, 512);
        final Memory to = pair.far().memory(512).guard();
        for (int i = 0; i < 8; i++) {
            Check.ok(pair.farQp().postReceive(i, to.at(64 * i), 64, to.lkey()), "post receive");
        }
        pair.nearQp().modify(QpAttributes.to(QpState.SQD));
        Check.equal(QpState.SQD, pair.nearQp().query().state(), "state");
        for (int i = 0; i < 8; i++) {
            Check.ok(pair.nearQp().postSend(i, from.at(64 * i), 64, from.lkey()), "post in SQD");
        }
        pair.near().sent().none(SILENCE, "the send queue is drained");
        to.expectGuard(0, 512, "receive buffers");
        back(env, pair.nearQp());
        for (int i = 0; i < 8; i++) {
            pair.near().sent().next().expect(i, WcOpcode.SEND);
            pair.far().received().next().expect(i, WcOpcode.RECV);
            env.moved(64);
        }
        to.expectPattern(1, 0, 512, "what was held back");
    }

    private static void sqdTells(final ConformanceEnv env) {
        env.skipIfPeculiar(NO_DRAIN);
        final RcPair pair = RcPair.connected(env, 8, 1);
        pair.sendUnseen(64);
        pair.nearQp().modify(QpAttributes.to(QpState.SQD).sqdAsyncNotify(true));
        Events.expect(env, env.device(), AsyncEventType.SQ_DRAINED, pair.nearQp());
        back(env, pair.nearQp());
        pair.nearQp().modify(QpAttributes.to(QpState.SQD).sqdAsyncNotify(false));
        Events.none(env.device(), pair.nearQp(), SILENCE);
        back(env, pair.nearQp());
        pair.sendUnseen(64);
    }

    /** A send that waits for the peer was begun: it is finished, and only then the queue is drained. */
    private static void sqdFinishes(final ConformanceEnv env) {
        env.skipIfPeculiar(NO_DRAIN);
        final RcPair pair = RcPair.connected(env, 8, 1);
        final Memory from = pair.near().memory(64).fill(1, 0, 64);
        final Memory to = pair.far().memory(64);
        Check.ok(pair.nearQp().postSend(1, from.at(0), 64, from.lkey()), "post send");
        pair.near().sent().none(Duration.ofMillis(2), "there is no receive yet");
        pair.nearQp().modify(QpAttributes.to(QpState.SQD).sqdAsyncNotify(true));
        Check.ok(pair.nearQp().postSend(2, from.at(0), 64, from.lkey()), "post in SQD");
        Events.none(env.device(), pair.nearQp(), SILENCE);
        Check.ok(pair.farQp().postReceive(3, to.at(0), 64, to.lkey()), "post receive");
        Check.ok(pair.farQp().postReceive(4, to.at(0), 64, to.lkey()), "post receive");
        pair.far().received().next().expect(3, WcOpcode.RECV);
        pair.near().sent().next().expect(1, WcOpcode.SEND);
        Events.expect(env, env.device(), AsyncEventType.SQ_DRAINED, pair.nearQp());
        pair.near().sent().none(SILENCE, "the second one was posted when the queue was drained");
        back(env, pair.nearQp());
        pair.near().sent().next().expect(2, WcOpcode.SEND);
        pair.far().received().next().expect(4, WcOpcode.RECV);
        env.moved(128);
    }

    private static void sqdReceives(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 8, 1);
        final Memory from = pair.near().memory(512);
        final Memory to = pair.far().memory(512);
        pair.farQp().modify(QpAttributes.to(QpState.SQD));
        pair.exchange(from, 0, to, 0, 500);
        back(env, pair.farQp());
        pair.exchange(from, 0, to, 0, 500);
    }

    /** Once it is drained: before, a device may refuse (Linux' rxe does for as long as its task has not run). */
    private static void sqdAttributes(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 8, 1);
        pair.nearQp().modify(QpAttributes.to(QpState.SQD).sqdAsyncNotify(true));
        Events.expect(env, env.device(), AsyncEventType.SQ_DRAINED, pair.nearQp());
        pair.nearQp().modify(QpAttributes.to(QpState.SQD).timeout(18).retryCnt(3).rnrRetry(2).minRnrTimer(5));
        final QpAttributes now = pair.nearQp().query();
        Check.that(now.timeout() == 18 && now.retryCnt() == 3 && now.rnrRetry() == 2 && now.minRnrTimer() == 5,
            "attributes after SQD to SQD: timeout %d, retries %d, RNR retries %d, RNR timer %d", now.timeout(),
            now.retryCnt(), now.rnrRetry(), now.minRnrTimer());
        back(env, pair.nearQp());
        pair.sendUnseen(64);
    }

    private static void sqdFlushes(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 8, 1);
        final Memory from = pair.near().memory(64);
        pair.nearQp().modify(QpAttributes.to(QpState.SQD));
        for (int i = 0; i < 5; i++) {
            Check.ok(pair.nearQp().postSend(i, from.at(0), 64, from.lkey()), "post in SQD");
        }
        pair.nearQp().modify(QpAttributes.to(QpState.ERR));
        for (int i = 0; i < 5; i++) {
            pair.near().sent().next().expectStatus(i, WcStatus.WR_FLUSH_ERR);
        }
        pair.near().sent().none(Duration.ofMillis(2), "all are flushed");
    }

    /** Queues as large as they get, full to the last slot; every request comes back once, in its queue's order. */
    private static void errFlushesFull(final ConformanceEnv env) {
        final int size = env.times(64, 1024);
        final RcPair pair = RcPair.connected(env, size, 1);
        final Memory memory = pair.near().memory(64);
        final int sends = pair.nearQp().maxSendWr();
        final int receives = pair.nearQp().maxReceiveWr();
        for (int i = 0; i < sends; i++) {
            Check.ok(pair.nearQp().postSend(i, memory.at(0), 64, memory.lkey()), "post send " + i);
        }
        for (int i = 0; i < receives; i++) {
            Check.ok(pair.nearQp().postReceive(~i, memory.at(0), 64, memory.lkey()), "post receive " + i);
        }
        pair.near().sent().none(Duration.ofMillis(2), "the peer has no receives");
        pair.nearQp().modify(QpAttributes.to(QpState.ERR));
        for (int i = 0; i < sends; i++) {
            pair.near().sent().next().expectStatus(i, WcStatus.WR_FLUSH_ERR);
        }
        for (int i = 0; i < receives; i++) {
            pair.near().received().next().expectStatus(~i, WcStatus.WR_FLUSH_ERR);
        }
        pair.near().sent().none(SILENCE, "every send was flushed already");
        pair.near().received().none(SILENCE, "every receive was flushed already");
        pair.nearQp().modify(QpAttributes.to(QpState.ERR));
        pair.near().sent().none(Duration.ofMillis(2), "nothing was posted since");
    }

    private static void errFlushesUnsignaled(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 8, 1);
        final Memory memory = pair.near().memory(64);
        for (int i = 0; i < 8; i++) {
            Check.ok(pair.nearQp().postSend(new SendRequest().wrId(i).flags(0)
                .sge(memory.at(0), 64, memory.lkey())), "post send");
        }
        pair.nearQp().modify(QpAttributes.to(QpState.ERR));
        for (int i = 0; i < 8; i++) {
            pair.near().sent().next().expectStatus(i, WcStatus.WR_FLUSH_ERR);
        }
    }

    /** What had completed before stays completed, before what is flushed. */
    private static void errKeepsCompletions(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 16, 1);
        final Memory from = pair.near().memory(64);
        final Memory to = pair.far().memory(64);
        for (int i = 0; i < 8; i++) {
            Check.ok(pair.farQp().postReceive(i, to.at(0), 64, to.lkey()), "post receive");
        }
        for (int i = 0; i < 4; i++) {
            Check.ok(pair.nearQp().postSend(i, from.at(0), 64, from.lkey()), "post send");
            env.moved(64);
        }
        pair.near().sent().next(4);
        pair.far().received().await(4);
        pair.farQp().modify(QpAttributes.to(QpState.ERR));
        for (int i = 0; i < 8; i++) {
            final Wc wc = pair.far().received().next();
            if (i < 4) {
                wc.expect(i, WcOpcode.RECV);
            } else {
                wc.expectStatus(i, WcStatus.WR_FLUSH_ERR);
            }
        }
    }

    /** Receives of a SRQ belong to nobody: they stay, and the QP tells that it takes no more. */
    private static void errWithSrq(final ConformanceEnv env) {
        if (env.peer().attributes().maxSrq() == 0) {
            throw env.skip("this device has no shared receive queues");
        }
        final Node near = Node.near(env, 16);
        final Node far = Node.far(env, 16);
        final SharedReceiveQueue srq = env.own(far.pd().createSrq(4, 1));
        final Memory from = near.memory(64).fill(1, 0, 64);
        final Memory to = far.memory(64);
        final QueuePair[] takers = new QueuePair[2];
        final QueuePair[] senders = new QueuePair[2];
        for (int i = 0; i < 2; i++) {
            takers[i] = env.own(far.pd().createQp(far.options(4, 1).srq(srq)));
            senders[i] = near.rc(4, 1);
            QpConnector.connect(takers[i], senders[i].localAddress());
            QpConnector.connect(senders[i], takers[i].localAddress());
        }
        Check.ok(srq.postReceive(new ReceiveRequest().wrId(6).sge(to.at(0), 64, to.lkey())), "post receive");
        takers[0].modify(QpAttributes.to(QpState.ERR));
        Events.expectIfAny(env, env.peer(), AsyncEventType.QP_LAST_WQE_REACHED, takers[0]);
        far.received().none(SILENCE, "receives of a SRQ are not flushed");
        Check.ok(senders[1].postSend(1, from.at(0), 64, from.lkey()), "post send");
        near.sent().next().expect(1, WcOpcode.SEND);
        Check.equal(takers[1].qpNumber(), far.received().next().expect(6, WcOpcode.RECV).qpn(), "QP of the receive");
        to.expectPattern(1, 0, 64, "message to the other QP");
        env.moved(64);
    }

    private static void errLeavesOthers(final ConformanceEnv env) {
        final Node near = Node.near(env, 32);
        final Node far = Node.far(env, 32);
        final RcPair first = RcPair.between(env, near, far, 8, 1);
        final RcPair second = RcPair.between(env, near, far, 8, 1);
        final Memory from = near.memory(64);
        final Memory to = far.memory(64);
        Check.ok(first.farQp().postReceive(1, to.at(0), 64, to.lkey()), "post receive");
        first.farQp().modify(QpAttributes.to(QpState.ERR));
        far.received().next().expectStatus(1, WcStatus.WR_FLUSH_ERR);
        for (int i = 0; i < 5; i++) {
            second.exchange(from, 0, to, 0, 64);
        }
        first.farQp().close();
        second.exchange(from, 0, to, 0, 64);
    }

    private static void resetTakesBack(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 8, 1);
        final Memory from = pair.near().memory(512);
        final Memory to = pair.far().memory(512);
        for (int i = 0; i < 8; i++) {
            Check.ok(pair.nearQp().postSend(i, from.at(0), 64, from.lkey()), "post send without a receive");
            Check.ok(pair.nearQp().postReceive(i, from.at(0), 64, from.lkey()), "post receive");
        }
        pair.reconnect();
        pair.near().sent().none(SILENCE, "RESET takes back without a completion");
        pair.near().received().none(Duration.ofMillis(1), "RESET takes back without a completion");
        pair.exchange(from, 0, to, 0, 500);
    }

    /** A datagram that cannot be sent stops its send queue; receives go on, and so does sending after SQE to RTS. */
    private static void sqeStopsSending(final ConformanceEnv env) {
        env.skipIfPeculiar("failed-datagrams-end-the-qp");
        final Node near = Node.datagrams(env, 16);
        final QueuePair qp = near.ud(4, 1, 7);
        final QueuePair peer = near.ud(4, 1, 7);
        final Memory memory = near.memory(512).fill(1, 0, 64);
        final AddressHandle way = env.own(near.pd().createAh(AhAttributes.to(env.device().queryGid(1, 0))));
        final SendRequest bad = new SendRequest().wrId(1).to(way, peer.qpNumber(), 7)
            .sge(memory.at(0), 64, memory.lkey() ^ 0x5a5a_5a00);
        final SendRequest good = new SendRequest().wrId(2).to(way, peer.qpNumber(), 7)
            .sge(memory.at(0), 64, memory.lkey());
        Check.ok(qp.postReceive(5, memory.at(128), 128, memory.lkey()), "post receive");
        Check.ok(peer.postReceive(6, memory.at(256), 128, memory.lkey()), "post receive");
        Check.equal(2, qp.postSend(new SendRequest[] {bad, good}, 2), "posted");
        near.sent().next().expectStatus(1, WcStatus.LOC_PROT_ERR);
        near.sent().next().expectStatus(2, WcStatus.WR_FLUSH_ERR);
        Check.equal(QpState.SQE, qp.query().state(), "state");
        near.received().none(Duration.ofMillis(2), "nothing was sent");
        Check.ok(peer.postSend(new SendRequest().wrId(3).to(way, qp.qpNumber(), 7)
            .sge(memory.at(0), 64, memory.lkey())), "post to the QP in SQE");
        near.sent().next().expect(3, WcOpcode.SEND);
        near.received().next().expect(5, WcOpcode.RECV).expectBytes(104);
        qp.modify(QpAttributes.to(QpState.RTS));
        Check.ok(qp.postSend(good), "post after SQE to RTS");
        near.sent().next().expect(2, WcOpcode.SEND);
        near.received().next().expect(6, WcOpcode.RECV).expectBytes(104);
        memory.expectPattern(1, 296, 64, "datagram after SQE");
        env.moved(128);
    }

    private static void established(final ConformanceEnv env) {
        final RcPair pair = RcPair.unconnected(env, Node.near(env, 4), Node.far(env, 4), 4, 1);
        QpConnector.connect(pair.nearQp(), pair.farQp().localAddress());
        pair.farQp().modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of()));
        pair.farQp().modify(QpCases.rtrAttributes(pair.nearQp()));
        pair.sendUnseen(64);
        Events.expect(env, env.peer(), AsyncEventType.COMM_EST, pair.farQp());
        pair.sendUnseen(64);
        Events.none(env.peer(), pair.farQp(), SILENCE);
    }
}
