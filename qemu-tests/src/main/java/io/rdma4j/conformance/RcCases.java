/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.WcOpcode;
import io.rdma4j.verbs.WcStatus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Messages over reliable connections. */
final class RcCases {
    private static final int MAX_SIZE = 1 << 20;
    private static final Duration SILENCE = Duration.ofMillis(50);

    private RcCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("rc.everySizeFromOneByteToAMebibyte", RcCases::everySize)
                .within(Duration.ofSeconds(60)),
            ConformanceCase.of("rc.emptyMessage", RcCases::emptyMessage),
            ConformanceCase.of("rc.everyNumberOfElements", RcCases::everyNumberOfElements),
            ConformanceCase.of("rc.elementsOfSeveralRegions", RcCases::severalRegions),
            ConformanceCase.of("rc.receiveMayBeLonger", RcCases::receiveMayBeLonger),
            ConformanceCase.of("rc.completesInOrderWithTheRightWrId", RcCases::inOrder),
            ConformanceCase.of("rc.batchesWithOneDoorbell", RcCases::batches),
            ConformanceCase.of("rc.bothDirectionsAtOnce", RcCases::bothDirections),
            ConformanceCase.of("rc.qpCanTalkToItself", RcCases::loopback),
            ConformanceCase.of("rc.pingPong", RcCases::pingPong).within(Duration.ofSeconds(60)),
            ConformanceCase.of("rc.pingPongOfTwoThreads", RcCases::pingPongOfTwoThreads)
                .within(Duration.ofSeconds(60)),
            ConformanceCase.of("rc.sendWaitsForAReceive", RcCases::sendWaitsForReceive),
            ConformanceCase.of("rc.immediateData", RcCases::immediateData).needs(Feature.SEND_WITH_IMM),
            ConformanceCase.of("rc.unsignaledSends", RcCases::unsignaled).needs(Feature.UNSIGNALED),
            ConformanceCase.of("rc.messageLongerThanTheReceiveEndsTheConnection", RcCases::tooLongEnds),
            ConformanceCase.of("rc.messageLongerThanTheReceiveIsReportedExactly", RcCases::tooLong)
                .needs(Feature.QP_FLUSH),
            ConformanceCase.of("rc.flushesEveryRequestOnceInErr", RcCases::flushes),
            ConformanceCase.of("rc.unknownLocalKey", RcCases::unknownKey).needs(Feature.PROTECTION_ERRORS),
            ConformanceCase.of("rc.keyOfAClosedRegion", RcCases::closedKey).needs(Feature.PROTECTION_ERRORS),
            ConformanceCase.of("rc.regionOfAnotherDomain", RcCases::foreignRegion)
                .needs(Feature.PROTECTION_ERRORS),
            ConformanceCase.of("rc.oneByteBehindTheRegion", RcCases::behindRegion)
                .needs(Feature.PROTECTION_ERRORS, Feature.BYTE_EXACT_REGIONS),
            ConformanceCase.of("rc.receiveIntoARegionWithoutLocalWrite", RcCases::readOnlyRegion)
                .needs(Feature.PROTECTION_ERRORS),
            ConformanceCase.of("rc.receiveIntoARegionOfAnotherDomain", RcCases::receiveOfAnotherDomain)
                .needs(Feature.PROTECTION_ERRORS));
    }

    /** Powers of two and their neighbours, at offsets that are not aligned. */
    private static void everySize(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(MAX_SIZE + 8192);
        final Memory to = pair.far().memory(MAX_SIZE + 8192);
        for (int size = 1; size <= MAX_SIZE; size <<= 1) {
            for (int length = Math.max(1, size - 1); length <= Math.min(MAX_SIZE, size + 1); length++) {
                pair.exchange(from, 64 + length % 61, to, 64 + length % 53, length);
            }
        }
    }

    private static void emptyMessage(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096).guard();
        Check.ok(pair.farQp().postReceive(1, to.at(0), 100, to.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(2, from.at(0), 0, from.lkey()), "post send");
        pair.near().sent().next().expect(2, WcOpcode.SEND);
        final Wc received = pair.far().received().next().expect(1, WcOpcode.RECV).expectBytes(0);
        Check.that(!received.hasGrh(), "a connection's receive tells of a route header: %s", received);
        to.expectGuard(0, 4096, "empty message");
        env.moved(0);
        pair.exchange(from, 0, to, 0, 1);
    }

    /** From many pieces to one, from one to many, and with seams at different places; pieces may be empty of bytes. */
    private static void everyNumberOfElements(final ConformanceEnv env) {
        final int max = env.device().attributes().maxSge();
        final int most = Math.min(max, env.peer().attributes().maxSge());
        final RcPair pair = RcPair.connected(env, 2, most);
        final Memory from = pair.near().memory(1 << 16);
        final Memory to = pair.far().memory(1 << 16);
        for (int sends = 1; sends <= most; sends++) {
            for (int receives = 1; receives <= most; receives += env.times(Math.max(1, most / 4), 1)) {
                for (final int length : new int[] {1 + most, 1000, 20_000}) {
                    new ScatterGather(env, pair, from, to).exchange(sends, receives, length);
                }
            }
        }
    }

    private static void severalRegions(final ConformanceEnv env) {
        final int most = Math.min(3, env.device().attributes().maxSge());
        final RcPair pair = RcPair.connected(env, 2, most);
        final List<Memory> from = new ArrayList<>();
        final List<Memory> to = new ArrayList<>();
        final SendRequest send = new SendRequest(most).wrId(1);
        final ReceiveRequest receive = new ReceiveRequest(most).wrId(2);
        for (int i = 0; i < most; i++) {
            from.add(pair.near().memory(8192).fill(i, 4000, 300));
            to.add(pair.far().memory(8192).guard());
            send.addSge(from.get(i).at(4000), 300, from.get(i).lkey());
            receive.addSge(to.get(i).at(4090 + i), 300, to.get(i).lkey());
        }
        Check.ok(pair.farQp().postReceive(receive), "post receive");
        Check.ok(pair.nearQp().postSend(send), "post send");
        pair.near().sent().next().expect(1, WcOpcode.SEND);
        pair.far().received().next().expect(2, WcOpcode.RECV).expectBytes(300 * most);
        for (int i = 0; i < most; i++) {
            to.get(i).expectPattern(i, 4090 + i, 300, "element " + i);
            to.get(i).expectGuard(0, 4090 + i, "before element " + i);
            to.get(i).expectGuard(4390 + i, 8192, "behind element " + i);
        }
        env.moved(300L * most);
    }

    private static void receiveMayBeLonger(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory from = pair.near().memory(4096).fill(9, 0, 1000);
        final Memory to = pair.far().memory(8192).guard();
        Check.ok(pair.farQp().postReceive(1, to.at(10), 8000, to.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(2, from.at(0), 1000, from.lkey()), "post send");
        pair.far().received().next().expect(1, WcOpcode.RECV).expectBytes(1000);
        pair.near().sent().next().expect(2, WcOpcode.SEND);
        to.expectPattern(9, 10, 1000, "short message");
        to.expectGuard(0, 10, "before");
        to.expectGuard(1010, 8192, "behind");
        env.moved(1000);
    }

    private static void inOrder(final ConformanceEnv env) {
        final int window = 16;
        final RcPair pair = RcPair.connected(env, window, 1);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        for (int round = 0; round < env.times(15, 100); round++) {
            final long[] ids = env.random().longs(window).toArray();
            for (int i = 0; i < window; i++) {
                Check.ok(pair.farQp().postReceive(~ids[i], to.at(64 * i), 64, to.lkey()), "post receive");
            }
            for (int i = 0; i < window; i++) {
                from.fill(round + i, 64 * i, 1 + i);
                Check.ok(pair.nearQp().postSend(ids[i], from.at(64 * i), 1 + i, from.lkey()), "post send");
            }
            final List<Wc> sent = pair.near().sent().next(window);
            final List<Wc> received = pair.far().received().next(window);
            for (int i = 0; i < window; i++) {
                sent.get(i).expect(ids[i], WcOpcode.SEND);
                received.get(i).expect(~ids[i], WcOpcode.RECV).expectBytes(1 + i);
                Check.equal(pair.nearQp().qpNumber(), sent.get(i).qpn(), "QP of a send");
                Check.equal(pair.farQp().qpNumber(), received.get(i).qpn(), "QP of a receive");
                to.expectPattern(round + i, 64 * i, 1 + i, "message " + i);
                env.moved(1 + i);
            }
        }
    }

    private static void batches(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 8, 1);
        final Memory from = pair.near().memory(4096).fill(3, 0, 4096);
        final Memory to = pair.far().memory(4096);
        final SendRequest[] sends = new SendRequest[10];
        final ReceiveRequest[] receives = new ReceiveRequest[10];
        for (int i = 0; i < sends.length; i++) {
            sends[i] = new SendRequest().wrId(i).sge(from.at(64 * i), 64, from.lkey());
            receives[i] = new ReceiveRequest().wrId(100 + i).sge(to.at(64 * i), 64, to.lkey());
        }
        Check.equal(8, pair.farQp().postReceive(receives, 10), "receives posted of 10 into 8");
        Check.equal(5, pair.nearQp().postSend(sends, 5), "sends posted");
        Check.equal(0, pair.nearQp().postSend(sends, 0), "sends posted of none");
        for (int i = 0; i < 5; i++) {
            pair.near().sent().next().expect(i, WcOpcode.SEND);
            pair.far().received().next().expect(100 + i, WcOpcode.RECV).expectBytes(64);
            env.moved(64);
        }
        for (int i = 0; i < 5 * 64; i++) {
            Check.equal(from.buffer().getByte(i), to.buffer().getByte(i), "byte %d", i);
        }
    }

    private static void bothDirections(final ConformanceEnv env) {
        final int window = 8;
        final RcPair pair = RcPair.connected(env, window, 1);
        final Memory near = pair.near().memory(2 * window * 1024);
        final Memory far = pair.far().memory(2 * window * 1024);
        for (int i = 0; i < window; i++) {
            Check.ok(pair.nearQp().postReceive(i, near.at(i * 1024), 1024, near.lkey()), "post near receive");
            Check.ok(pair.farQp().postReceive(i, far.at(i * 1024), 1024, far.lkey()), "post far receive");
        }
        for (int i = 0; i < window; i++) {
            near.fill(i, (window + i) * 1024, 1024);
            far.fill(-i, (window + i) * 1024, 1024);
            Check.ok(pair.nearQp().postSend(i, near.at((window + i) * 1024), 1024, near.lkey()), "near send");
            Check.ok(pair.farQp().postSend(i, far.at((window + i) * 1024), 1024, far.lkey()), "far send");
        }
        for (final Node node : List.of(pair.near(), pair.far())) {
            for (int i = 0; i < window; i++) {
                node.sent().next().expect(i, WcOpcode.SEND);
                node.received().next().expect(i, WcOpcode.RECV).expectBytes(1024);
                env.moved(1024);
            }
        }
        for (int i = 0; i < window; i++) {
            near.expectPattern(-i, i * 1024, 1024, "message " + i + " to near");
            far.expectPattern(i, i * 1024, 1024, "message " + i + " to far");
        }
    }

    private static void loopback(final ConformanceEnv env) {
        final Node node = Node.near(env, 8);
        final QueuePair qp = node.rc(4, 1);
        QpConnector.connect(qp, qp.localAddress());
        final Memory memory = node.memory(8192).fill(5, 0, 3000);
        Check.ok(qp.postReceive(1, memory.at(4096), 3000, memory.lkey()), "post receive");
        Check.ok(qp.postSend(2, memory.at(0), 3000, memory.lkey()), "post send");
        node.sent().next().expect(2, WcOpcode.SEND);
        node.received().next().expect(1, WcOpcode.RECV).expectBytes(3000);
        memory.expectPattern(5, 4096, 3000, "message to itself");
        env.moved(3000);
    }

    private static void pingPong(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 2, 1);
        final Memory near = pair.near().memory(4096);
        final Memory far = pair.far().memory(4096);
        for (int i = 0; i < env.times(300, 5000); i++) {
            final int length = 1 + i * 37 % 2000;
            Check.ok(pair.nearQp().postReceive(i, near.at(2048), 2048, near.lkey()), "post near receive");
            Check.ok(pair.farQp().postReceive(i, far.at(0), 2048, far.lkey()), "post far receive");
            near.fill(i, 0, length);
            Check.ok(pair.nearQp().postSend(i, near.at(0), length, near.lkey()), "ping");
            pair.far().received().next().expect(i, WcOpcode.RECV).expectBytes(length);
            Check.ok(pair.farQp().postSend(i, far.at(0), length, far.lkey()), "pong");
            pair.near().received().next().expect(i, WcOpcode.RECV).expectBytes(length);
            pair.near().sent().next().expect(i, WcOpcode.SEND);
            pair.far().sent().next().expect(i, WcOpcode.SEND);
            near.expectPattern(i, 2048, length, "pong " + i);
            env.moved(length);
            env.moved(length);
        }
    }

    private static void pingPongOfTwoThreads(final ConformanceEnv env) throws Exception {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final Memory near = pair.near().memory(4096);
        final Memory far = pair.far().memory(4096);
        final int rounds = env.times(200, 5000);
        Check.ok(pair.nearQp().postReceive(0, near.at(2048), 64, near.lkey()), "post near receive");
        Check.ok(pair.farQp().postReceive(0, far.at(2048), 64, far.lkey()), "post far receive");
        final FutureTask<Void> ponger = new FutureTask<>(() -> {
            for (int i = 0; i < rounds; i++) {
                pair.far().received().next().expect(i, WcOpcode.RECV);
                far.expectPattern(i, 2048, 64, "ping " + i);
                Check.ok(pair.farQp().postReceive(i + 1, far.at(2048), 64, far.lkey()), "post far receive");
                far.fill(~i, 0, 64);
                Check.ok(pair.farQp().postSend(i, far.at(0), 64, far.lkey()), "pong");
                pair.far().sent().next().expect(i, WcOpcode.SEND);
            }
            return null;
        });
        final Thread thread = new Thread(ponger, "ponger");
        thread.setDaemon(true);
        thread.start();
        for (int i = 0; i < rounds; i++) {
            near.fill(i, 0, 64);
            Check.ok(pair.nearQp().postSend(i, near.at(0), 64, near.lkey()), "ping");
            pair.near().received().next().expect(i, WcOpcode.RECV);
            near.expectPattern(~i, 2048, 64, "pong " + i);
            Check.ok(pair.nearQp().postReceive(i + 1, near.at(2048), 64, near.lkey()), "post near receive");
            pair.near().sent().next().expect(i, WcOpcode.SEND);
            env.moved(64);
            env.moved(64);
        }
        ponger.get(env.patience(Duration.ofSeconds(10)).toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void sendWaitsForReceive(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final Memory from = pair.near().memory(8192);
        final Memory to = pair.far().memory(8192);
        for (int i = 0; i < 3; i++) {
            from.fill(i, 2048 * i, 2000);
            Check.ok(pair.nearQp().postSend(i, from.at(2048 * i), 2000, from.lkey()), "post send");
        }
        pair.near().sent().none(SILENCE, "nothing was posted to receive into");
        for (int i = 0; i < 3; i++) {
            Check.ok(pair.farQp().postReceive(i, to.at(2048 * i), 2000, to.lkey()), "post receive");
        }
        for (int i = 0; i < 3; i++) {
            pair.near().sent().next().expect(i, WcOpcode.SEND);
            pair.far().received().next().expect(i, WcOpcode.RECV).expectBytes(2000);
            to.expectPattern(i, 2048 * i, 2000, "message " + i + " that had waited");
            env.moved(2000);
        }
    }

    private static void immediateData(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 4, 1);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        for (final int imm : new int[] {0, 1, 0x1234_5678, 0x8000_0001, -1}) {
            Check.ok(pair.farQp().postReceive(1, to.at(0), 64, to.lkey()), "post receive");
            Check.ok(pair.nearQp().postSend(new SendRequest().wrId(2).opcode(SendOpcode.SEND_WITH_IMM).immData(imm)
                .sge(from.at(0), 64, from.lkey())), "post send");
            pair.near().sent().next().expect(2, WcOpcode.SEND);
            final Wc received = pair.far().received().next().expect(1, WcOpcode.RECV);
            Check.that(received.hasImm() && received.imm() == imm, "immediate data 0x%x arrived as %s", imm, received);
            env.moved(64);
        }
        pair.sendUnseen(64);
        Check.that(!pair.far().received().next().hasImm(), "immediate data in a message without");
    }

    private static void unsignaled(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 8, 1);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        final SendRequest request = new SendRequest();
        for (int round = 0; round < env.times(5, 50); round++) {
            for (int i = 0; i < 8; i++) {
                Check.ok(pair.farQp().postReceive(i, to.at(0), 64, to.lkey()), "post receive");
                Check.ok(pair.nearQp().postSend(request.wrId(i).flags(i == 7 ? SendRequest.SIGNALED : 0)
                    .sge(from.at(0), 64, from.lkey())), "post send " + i + " of round " + round);
                env.moved(64);
            }
            pair.near().sent().next().expect(7, WcOpcode.SEND);
            pair.far().received().next(8);
            Check.equal(List.of(), pair.near().sent().available(), "completions of unsignaled sends");
        }
    }

    /** Both sides are told, not a byte is written behind the receive, and what else was posted is given back once. */
    private static void tooLongEnds(final ConformanceEnv env) {
        RcPair.coldAndWarm(env, RcCases::tooLongEnds);
    }

    private static void tooLongEnds(final RcPair pair) {
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096).guard();
        for (int i = 0; i < 3; i++) {
            Check.ok(pair.farQp().postReceive(i, to.at(100), 99, to.lkey()), "post receive");
        }
        Check.ok(pair.nearQp().postSend(10, from.at(0), 100, from.lkey()), "post send");
        final Wc sent = pair.near().sent().next();
        Check.that(sent.wrId() == 10 && sent.status() != WcStatus.SUCCESS, "the sender was told %s", sent);
        final Wc received = pair.far().received().next();
        Check.that(received.wrId() == 0 && received.status() != WcStatus.SUCCESS, "the receiver was told %s", received);
        Check.equal(QpState.ERR, pair.farQp().state(), "state of the receiver");
        Check.equal(QpState.ERR, pair.nearQp().state(), "state of the sender");
        for (int i = 1; i < 3; i++) {
            pair.far().received().next().expectStatus(i, WcStatus.WR_FLUSH_ERR);
        }
        pair.far().received().none(SILENCE, "everything has completed already");
        pair.near().sent().none(SILENCE, "everything has completed already");
        to.expectGuard(0, 100, "before");
        to.expectGuard(199, 4096, "behind");
    }

    private static void tooLong(final ConformanceEnv env) {
        // A vague responder is as vague to a sender that is not.
        final WcStatus told = env.isPeculiar(env.peer(), "local-errors-are-qp-operation-errors") ? WcStatus.REM_OP_ERR
            : WcStatus.REM_INV_REQ_ERR;
        RcPair.coldAndWarm(env, pair -> tooLong(pair, told));
    }

    private static void tooLong(final RcPair pair, final WcStatus told) {
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096).guard();
        Check.ok(pair.farQp().postReceive(1, to.at(100), 99, to.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(2, from.at(0), 100, from.lkey()), "post send");
        pair.far().received().next().expectStatus(1, WcStatus.LOC_LEN_ERR);
        pair.near().sent().next().expectStatus(2, told);
        to.expectGuard(0, 100, "before");
        to.expectGuard(199, 4096, "behind");
        Check.equal(QpState.ERR, pair.farQp().state(), "state of the receiver");
        Check.equal(QpState.ERR, pair.nearQp().state(), "state of the sender");
    }

    private static void flushes(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 16, 1);
        final Memory near = pair.near().memory(8192);
        pair.sendUnseen(64);
        pair.far().received().next();
        for (int i = 0; i < 5; i++) {
            Check.ok(pair.nearQp().postSend(100 + i, near.at(0), 64, near.lkey()), "post send");
        }
        for (int i = 0; i < 7; i++) {
            Check.ok(pair.nearQp().postReceive(200 + i, near.at(0), 64, near.lkey()), "post receive");
        }
        pair.nearQp().modify(QpAttributes.to(QpState.ERR));
        final List<Wc> all = new ArrayList<>(pair.near().sent().next(5));
        all.addAll(pair.near().received().next(7));
        final Map<Long, Wc> byId = new HashMap<>();
        for (final Wc wc : all) {
            Check.equal(WcStatus.WR_FLUSH_ERR, wc.status(), "status of %s", wc);
            Check.equal(null, byId.put(wc.wrId(), wc), "former completion of wrId %d", wc.wrId());
        }
        for (int i = 0; i < 12; i++) {
            final long id = i < 5 ? 100 + i : 200 + i - 5;
            Check.that(byId.containsKey(id), "wrId %d did not complete: %s", id, all);
        }
        Check.ok(pair.nearQp().postSend(300, near.at(0), 64, near.lkey()), "post send in ERR");
        pair.near().sent().next().expectStatus(300, WcStatus.WR_FLUSH_ERR);
        Check.ok(pair.nearQp().postReceive(301, near.at(0), 64, near.lkey()), "post receive in ERR");
        pair.near().received().next().expectStatus(301, WcStatus.WR_FLUSH_ERR);
        pair.near().sent().none(SILENCE, "every send was flushed already");
        pair.near().received().none(SILENCE, "every receive was flushed already");
    }

    /** A key that stands for nothing moves nothing and is reported for the request that names it. */
    private static void refusesToSend(final RcPair pair, final long address, final int length, final int lkey) {
        final Memory to = pair.far().memory(8192).guard();
        Check.ok(pair.farQp().postReceive(1, to.at(0), 8192, to.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(2, address, length, lkey), "post send");
        pair.near().sent().next().expectStatus(2, WcStatus.LOC_PROT_ERR);
        Check.equal(QpState.ERR, pair.nearQp().state(), "state of the sender");
        pair.far().received().none(SILENCE, "the message could not be read");
        to.expectGuard(0, 8192, "receive buffer");
    }

    private static void unknownKey(final ConformanceEnv env) {
        RcPair.coldAndWarm(env, pair -> {
            final Memory from = pair.near().memory(4096);
            refusesToSend(pair, from.at(0), 64, from.lkey() ^ 0x5a5a5a00);
        });
    }

    private static void closedKey(final ConformanceEnv env) {
        RcPair.coldAndWarm(env, pair -> {
            final Memory from = pair.near().memory(4096);
            final MemoryRegion region = from.part(env, pair.near().pd(), 0, 4096);
            final int lkey = region.lkey();
            region.close();
            refusesToSend(pair, from.at(0), 64, lkey);
        });
    }

    private static void foreignRegion(final ConformanceEnv env) {
        final Memory from = Node.near(env, 4).memory(4096);
        RcPair.coldAndWarm(env, pair -> refusesToSend(pair, from.at(0), 64, from.lkey()));
    }

    private static void behindRegion(final ConformanceEnv env) {
        for (final int[] part : new int[][] {{100, 1001}, {99, 10}}) {
            RcPair.coldAndWarm(env, pair -> {
                final Memory from = pair.near().memory(8192);
                final MemoryRegion region = from.part(env, pair.near().pd(), 100, 1000);
                refusesToSend(pair, from.at(part[0]), part[1], region.lkey());
            });
        }
    }

    private static void readOnlyRegion(final ConformanceEnv env) {
        RcPair.coldAndWarm(env, pair -> {
            final Memory to = pair.far().memory(4096).guard();
            refusesToReceive(pair, to, env.own(pair.far().pd().register(to.at(0), 4096)));
        });
    }

    private static void receiveOfAnotherDomain(final ConformanceEnv env) {
        final Memory to = Node.far(env, 4).memory(4096).guard();
        RcPair.coldAndWarm(env, pair -> refusesToReceive(pair, to, to.region()));
    }

    /** What the receive names is not to be used: both sides are told, and no byte comes in. */
    private static void refusesToReceive(final RcPair pair, final Memory to, final MemoryRegion region) {
        final Memory from = pair.near().memory(4096);
        Check.ok(pair.farQp().postReceive(1, to.at(0), 64, region.lkey()), "post receive");
        Check.ok(pair.nearQp().postSend(2, from.at(0), 64, from.lkey()), "post send");
        pair.far().received().next().expectStatus(1, WcStatus.LOC_PROT_ERR);
        pair.near().sent().next().expectStatus(2, WcStatus.REM_OP_ERR);
        to.expectGuard(0, 4096, "region that is not to be used");
    }
}
