/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.RdmaException.EBUSY;
import static io.rdma4j.RdmaException.EINVAL;

import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcOpcode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Shared receive queues. The QPs of one queue share their receive CQ, which works on every device. */
final class SrqCases {
    private static final Duration SILENCE = Duration.ofMillis(20);

    private SrqCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            srq("srq.anySize", SrqCases::anySize),
            srq("srq.refusesSizesOutOfRange", SrqCases::refusesSizes),
            srq("srq.closesTwiceWithoutHarm", SrqCases::closesTwice),
            srq("srq.staysWhileQpsUseIt", SrqCases::staysWhileUsed),
            srq("srq.feedsSeveralQps", SrqCases::feedsSeveralQps),
            srq("srq.everyNumberOfElements", SrqCases::everyNumberOfElements),
            srq("srq.goesRoundManyTimes", SrqCases::goesRound),
            srq("srq.isFullAfterItsSize", SrqCases::isFull),
            srq("srq.qpRefusesReceivesOfItsOwn", SrqCases::qpRefusesReceives),
            srq("srq.refusesTooManyElements", SrqCases::refusesElements),
            srq("srq.remembersItsLimit", SrqCases::remembersLimit),
            srq("srq.tellsWhenItFallsBelowItsLimit", SrqCases::tellsLimit).needs(Feature.SRQ_LIMIT_EVENT));
    }

    private static ConformanceCase srq(final String name, final ConformanceCase.Body body) {
        return ConformanceCase.of(name, env -> {
            if (env.device().attributes().maxSrq() == 0 || env.peer().attributes().maxSrq() == 0) {
                throw env.skip("this device has no shared receive queues");
            }
            body.run(env);
        });
    }

    /** Senders on the near side, connected to QPs on the far side that take their receives from one SRQ. */
    private static final class Fan {
        private final Node near;
        private final Node far;
        private final SharedReceiveQueue srq;
        private final List<QueuePair> senders = new ArrayList<>();
        private final List<QueuePair> takers = new ArrayList<>();
        private final Memory from;
        private final Memory to;

        Fan(final ConformanceEnv env, final int qps, final int size, final int maxSge) {
            near = Node.near(env, 256);
            far = Node.far(env, 256);
            srq = env.own(far.pd().createSrq(size, maxSge));
            for (int i = 0; i < qps; i++) {
                senders.add(near.rc(8, maxSge));
                takers.add(env.own(far.pd().createQp(far.options(8, maxSge).srq(srq))));
                QpConnector.connect(senders.get(i), takers.get(i).localAddress());
                QpConnector.connect(takers.get(i), senders.get(i).localAddress());
            }
            from = near.memory(1 << 16);
            to = far.memory(1 << 16);
        }
    }

    private static void anySize(final ConformanceEnv env) {
        final DeviceAttributes device = env.device().attributes();
        final Node node = Node.near(env, 4);
        for (int sge = 1; sge <= device.maxSrqSge(); sge += sge < 4 ? 1 : 4) {
            for (final int size : new int[] {1, 3, 64, device.maxSrqWr(sge) / 2 + 1, device.maxSrqWr(sge)}) {
                final SharedReceiveQueue srq = node.pd().createSrq(size, sge);
                Check.that(srq.maxWr() >= size && srq.maxSge() >= sge, "asked for %d of %d elements, got %d of %d",
                    size, sge, srq.maxWr(), srq.maxSge());
                Check.equal(node.pd(), srq.pd(), "domain");
                srq.close();
            }
        }
    }

    private static void refusesSizes(final ConformanceEnv env) {
        final DeviceAttributes device = env.device().attributes();
        final Node node = Node.near(env, 4);
        for (final int size : new int[] {0, -1, device.maxSrqWr(1) + 1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            Check.refused(EINVAL, () -> node.pd().createSrq(size, 1), size + " receives", String.valueOf(size));
        }
        for (final int sge : new int[] {0, -1, device.maxSrqSge() + 1, Integer.MAX_VALUE}) {
            Check.refused(EINVAL, () -> node.pd().createSrq(4, sge), sge + " elements", String.valueOf(sge));
        }
    }

    private static void closesTwice(final ConformanceEnv env) {
        final Node node = Node.near(env, 4);
        final SharedReceiveQueue srq = node.pd().createSrq(4, 1);
        srq.close();
        final SharedReceiveQueue other = env.own(node.pd().createSrq(4, 1));
        srq.close();
        Check.that(srq.isClosed() && !other.isClosed(), "the second close hit another SRQ");
        final Memory memory = node.memory(4096);
        Check.code(ReturnCode.CLOSED, srq.postReceive(1, memory.at(0), 1, memory.lkey()), "post to a closed SRQ");
    }

    private static void staysWhileUsed(final ConformanceEnv env) {
        final Fan fan = new Fan(env, 1, 4, 1);
        Check.refused(EBUSY, fan.srq::close, "closing a SRQ with a QP");
        Check.that(!fan.srq.isClosed(), "it was closed all the same");
        fan.takers.get(0).close();
        fan.srq.close();
    }

    private static void feedsSeveralQps(final ConformanceEnv env) {
        final Fan fan = new Fan(env, 4, 64, 1);
        for (int round = 0; round < env.times(8, 25); round++) {
            for (int i = 0; i < 16; i++) {
                Check.ok(fan.srq.postReceive(1000 + i, fan.to.at(i * 1024), 1024, fan.to.lkey()), "post receive");
            }
            fan.to.guard();
            for (int i = 0; i < 16; i++) {
                fan.from.fill(i, i * 1024, 100 + i);
                Check.ok(fan.senders.get(i % 4).postSend(i, fan.from.at(i * 1024), 100 + i, fan.from.lkey()), "send");
            }
            fan.near.sent().next(16).forEach(wc -> wc.expect(wc.wrId(), WcOpcode.SEND));
            checkReceived(env, fan, fan.far.received().next(16));
        }
    }

    /** Each receive was used once, by a QP that a message of that length was sent to. */
    private static void checkReceived(final ConformanceEnv env, final Fan fan, final List<Wc> all) {
        final BitSet receives = new BitSet();
        final BitSet messages = new BitSet();
        for (final Wc wc : all) {
            final int slot = (int) wc.wrId() - 1000;
            final int message = wc.byteLength() - 100;
            wc.expect(1000 + slot, WcOpcode.RECV);
            Check.that(slot >= 0 && slot < 16 && !receives.get(slot), "receive %d was not posted, or came twice", slot);
            Check.that(message >= 0 && message < 16 && !messages.get(message), "message %d came twice", message);
            receives.set(slot);
            messages.set(message);
            Check.equal(fan.takers.get(message % 4).qpNumber(), wc.qpn(), "QP of message %d", message);
            fan.to.expectPattern(message, slot * 1024, 100 + message, "message " + message);
            fan.to.expectGuard(slot * 1024 + 100 + message, (slot + 1) * 1024, "behind message " + message);
            env.moved(100 + message);
        }
    }

    private static void everyNumberOfElements(final ConformanceEnv env) {
        final int most = Math.min(env.device().attributes().maxSge(), env.peer().attributes().maxSrqSge());
        final Fan fan = new Fan(env, 1, 8, most);
        for (int count = 1; count <= most; count++) {
            final ReceiveRequest receive = new ReceiveRequest(most).wrId(count);
            fan.to.guard();
            for (int i = 0; i < count; i++) {
                receive.addSge(fan.to.at(i * 300), 100, fan.to.lkey());
            }
            fan.from.fill(count, 0, 100 * count);
            Check.ok(fan.srq.postReceive(receive), "post receive");
            Check.ok(fan.senders.get(0).postSend(1, fan.from.at(0), 100 * count, fan.from.lkey()), "send");
            fan.near.sent().next().expect(1, WcOpcode.SEND);
            fan.far.received().next().expect(count, WcOpcode.RECV).expectBytes(100 * count);
            for (int i = 0; i < 100 * count; i++) {
                Check.equal(Memory.pattern(count, i), fan.to.buffer().getByte(i / 100 * 300 + i % 100), "byte %d", i);
            }
            for (int i = 0; i < count; i++) {
                fan.to.expectGuard(i * 300 + 100, (i + 1) * 300, "behind element " + i);
            }
            env.moved(100L * count);
        }
    }

    private static void goesRound(final ConformanceEnv env) {
        final Fan fan = new Fan(env, 2, 4, 1);
        for (int i = 0; i < env.times(100, 1000); i++) {
            Check.ok(fan.srq.postReceive(i, fan.to.at(64 * (i % 4)), 64, fan.to.lkey()), "post receive");
            fan.from.fill(i, 0, 64);
            Check.ok(fan.senders.get(i % 2).postSend(i, fan.from.at(0), 64, fan.from.lkey()), "send");
            fan.near.sent().next().expect(i, WcOpcode.SEND);
            Check.equal(fan.takers.get(i % 2).qpNumber(), fan.far.received().next().expect(i, WcOpcode.RECV).qpn(),
                "QP of message %d", i);
            fan.to.expectPattern(i, 64 * (i % 4), 64, "message " + i);
            env.moved(64);
        }
    }

    private static void isFull(final ConformanceEnv env) {
        final Fan fan = new Fan(env, 1, 8, 1);
        for (int i = 0; i < fan.srq.maxWr(); i++) {
            Check.ok(fan.srq.postReceive(i, fan.to.at(0), 64, fan.to.lkey()), "post receive " + i);
        }
        Check.code(ReturnCode.QUEUE_FULL, fan.srq.postReceive(99, fan.to.at(0), 64, fan.to.lkey()), "one more");
        Check.ok(fan.senders.get(0).postSend(1, fan.from.at(0), 64, fan.from.lkey()), "send");
        fan.near.sent().next();
        fan.far.received().next();
        Check.ok(fan.srq.postReceive(100, fan.to.at(0), 64, fan.to.lkey()), "post after one was used");
        Check.code(ReturnCode.QUEUE_FULL, fan.srq.postReceive(101, fan.to.at(0), 64, fan.to.lkey()), "one more again");
        env.moved(64);
    }

    private static void qpRefusesReceives(final ConformanceEnv env) {
        final Fan fan = new Fan(env, 1, 8, 1);
        final QueuePair taker = fan.takers.get(0);
        Check.code(ReturnCode.HAS_SRQ, taker.postReceive(1, fan.to.at(0), 64, fan.to.lkey()), "receive on the QP");
        Check.equal(0, taker.maxReceiveWr(), "receives of a QP with SRQ");
        Check.equal(fan.srq, taker.srq(), "SRQ");
    }

    private static void refusesElements(final ConformanceEnv env) {
        final Fan fan = new Fan(env, 1, 8, 1);
        final ReceiveRequest receive = new ReceiveRequest(64);
        for (int i = 0; i < fan.srq.maxSge() + 1; i++) {
            receive.addSge(fan.to.at(0), 1, fan.to.lkey());
        }
        Check.code(ReturnCode.TOO_MANY_SGES, fan.srq.postReceive(receive), fan.srq.maxSge() + 1 + " elements");
    }

    private static void remembersLimit(final ConformanceEnv env) {
        final Fan fan = new Fan(env, 1, 16, 1);
        Check.equal(0, fan.srq.queryLimit(), "limit of a new SRQ");
        // With fewer than that, some devices tell at once, and forget the limit.
        for (int i = 0; i < 7; i++) {
            Check.ok(fan.srq.postReceive(i, fan.to.at(0), 64, fan.to.lkey()), "post receive");
        }
        fan.srq.armLimit(7);
        Check.equal(7, fan.srq.queryLimit(), "limit");
        for (final int limit : new int[] {0, -1, fan.srq.maxWr() + 1}) {
            Check.refused(EINVAL, () -> fan.srq.armLimit(limit), "limit " + limit, "limit");
        }
    }

    private static void tellsLimit(final ConformanceEnv env) {
        final Fan fan = new Fan(env, 1, 16, 1);
        for (int i = 0; i < 8; i++) {
            Check.ok(fan.srq.postReceive(i, fan.to.at(0), 64, fan.to.lkey()), "post receive");
        }
        fan.srq.armLimit(7);
        // Then there are eight, and after a message seven: as many as the limit is not fewer.
        for (int i = 0; i < 2; i++) {
            Events.none(env.peer(), fan.srq, SILENCE);
            Check.ok(fan.senders.get(0).postSend(1, fan.from.at(0), 64, fan.from.lkey()), "send");
            fan.far.received().next().expect(i, WcOpcode.RECV);
            env.moved(64);
        }
        Events.expect(env, env.peer(), AsyncEventType.SRQ_LIMIT_REACHED, fan.srq);
        Check.equal(0, fan.srq.queryLimit(), "limit after its event");
    }
}
