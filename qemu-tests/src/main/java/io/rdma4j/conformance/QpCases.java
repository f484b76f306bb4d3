/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import static io.rdma4j.RdmaException.EBADFD;
import static io.rdma4j.RdmaException.EINVAL;

import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.Feature;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReturnCode;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Queue pairs: creation, state machine, attributes, misuse. */
final class QpCases {
    private QpCases() {
    }

    static List<ConformanceCase> cases() {
        return List.of(
            ConformanceCase.of("qp.beginsInReset", QpCases::beginsInReset),
            ConformanceCase.of("qp.anySize", QpCases::anySize),
            ConformanceCase.of("qp.refusesSizesOutOfRange", QpCases::refusesSizes),
            ConformanceCase.of("qp.refusesQueuesThatDoNotBelong", QpCases::refusesForeignQueues),
            ConformanceCase.of("qp.opensAndClosesAgainAndAgain", QpCases::cycles),
            ConformanceCase.of("qp.closesTwiceWithoutHarm", QpCases::closesTwice),
            ConformanceCase.of("qp.answersClosedOnceClosed", QpCases::answersClosed),
            ConformanceCase.of("qp.addressCanBePrintedAndRead", QpCases::addressIsPrintable),
            ConformanceCase.of("qp.rcGoesToRtsAndTellsItsAttributes", QpCases::rcTellsAttributes),
            ConformanceCase.of("qp.rcTellsItsDepthOfReads", QpCases::depthOfReads),
            ConformanceCase.of("qp.udGoesToRtsAndTellsItsAttributes", QpCases::udTellsAttributes),
            ConformanceCase.of("qp.udTakesAPrivilegedQkey", QpCases::privilegedQkey),
            ConformanceCase.of("qp.refusesTransitionsThatDoNotExist", QpCases::refusesTransitions),
            ConformanceCase.of("qp.refusesMissingAttributes", QpCases::refusesMissing),
            ConformanceCase.of("qp.refusesAttributesOutOfRange", QpCases::refusesOutOfRange),
            ConformanceCase.of("qp.goesToErrFromEveryState", QpCases::goesToErr),
            ConformanceCase.of("qp.canBeUsedAgainAfterReset", QpCases::usedAgain).needs(Feature.QP_RESET),
            ConformanceCase.of("qp.connectorNeedsTheRightTypeAndState", QpCases::connectorChecks));
    }

    private static void beginsInReset(final ConformanceEnv env) {
        final Node node = Node.near(env, 64);
        final Set<Integer> numbers = new HashSet<>();
        for (int i = 0; i < 4; i++) {
            for (final QpType type : QpType.values()) {
                final QueuePair qp = env.own(node.pd().createQp(node.options(5, 2).type(type)));
                Check.equal(QpState.RESET, qp.state(), "state of a new %s QP", type);
                Check.equal(QpState.RESET, qp.query().state(), "queried state of a new %s QP", type);
                Check.equal(type, qp.type(), "type");
                Check.that((qp.qpNumber() & ~0xffffff) == 0, "QP number 0x%x has more than 24 bits", qp.qpNumber());
                Check.that(numbers.add(qp.qpNumber()), "QP number 0x%x was given out twice", qp.qpNumber());
                Check.that(qp.maxSendWr() >= 5 && qp.maxReceiveWr() >= 5 && qp.maxSendSge() >= 2
                    && qp.maxReceiveSge() >= 2, "smaller than what was asked for: %s", qp);
                Check.that(qp.sendCq() == node.sendCq() && qp.receiveCq() == node.receiveCq() && qp.srq() == null
                    && qp.pd() == node.pd(), "made of other things than it was told");
            }
        }
    }

    private static void anySize(final ConformanceEnv env) {
        final DeviceAttributes device = env.device().attributes();
        for (int sge = 1; sge <= device.maxSge(); sge += sge < 4 ? 1 : 4) {
            createOf(env, 1, 1, sge);
            createOf(env, device.maxSendWr(sge), 1, sge);
            createOf(env, 1, device.maxReceiveWr(sge), sge);
            createOf(env, device.maxSendWr(sge), device.maxReceiveWr(sge), sge);
        }
    }

    private static void createOf(final ConformanceEnv env, final int sends, final int receives, final int sge) {
        final Node node = Node.near(env, 1);
        final QueuePair qp = node.pd().createQp(new QpOptions().sendCq(node.sendCq()).receiveCq(node.receiveCq())
            .maxSendWr(sends).maxReceiveWr(receives).maxSendSge(sge).maxReceiveSge(sge).reserveCq(false));
        Check.that(qp.maxSendWr() >= sends && qp.maxReceiveWr() >= receives, "asked for %d sends and %d receives: %s",
            sends, receives, qp);
        Check.that(qp.maxSendSge() >= sge && qp.maxReceiveSge() >= sge, "asked for %d elements: %s", sge, qp);
        qp.close();
        node.sendCq().close();
        node.receiveCq().close();
        node.pd().close();
    }

    private static void refusesSizes(final ConformanceEnv env) {
        final DeviceAttributes device = env.device().attributes();
        final Node node = Node.near(env, 16);
        final int sge = device.maxSge() + 1;
        refuse(node, node.options(4, 1).maxSendSge(sge), "send elements", String.valueOf(sge));
        refuse(node, node.options(4, 1).maxReceiveSge(sge), "receive elements", String.valueOf(sge));
        final int sends = device.maxSendWr(1) + 1;
        refuse(node, node.options(4, 1).maxSendWr(sends).reserveCq(false), "sends", String.valueOf(sends));
        final int receives = device.maxReceiveWr(1) + 1;
        refuse(node, node.options(4, 1).maxReceiveWr(receives).reserveCq(false), "receives",
            String.valueOf(receives));
        for (final int wrong : new int[] {0, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 0x40000001}) {
            refuse(node, node.options(4, 1).maxSendWr(wrong).reserveCq(false), wrong + " sends");
            refuse(node, node.options(4, 1).maxReceiveWr(wrong).reserveCq(false), wrong + " receives");
            refuse(node, node.options(4, 1).maxSendSge(wrong), wrong + " send elements");
            refuse(node, node.options(4, 1).maxReceiveSge(wrong), wrong + " receive elements");
        }
        node.rc(4, 1);
    }

    private static void refuse(final Node node, final QpOptions options, final String what, final String... words) {
        Check.refused(EINVAL, () -> node.pd().createQp(options), what, words);
    }

    private static void refusesForeignQueues(final ConformanceEnv env) {
        final Node node = Node.near(env, 16);
        refuse(node, node.options(4, 1).sendCq(null), "no CQ for sends", "CQ");
        refuse(node, node.options(4, 1).receiveCq(null), "no CQ for receives", "CQ");
        refuse(node, node.options(4, 1).type(null), "no type");
        if (env.device().attributes().maxSrq() > 0) {
            final Node other = Node.near(env, 16);
            final var srq = env.own(other.pd().createSrq(4, 1));
            refuse(node, node.options(4, 1).srq(srq), "a SRQ of another domain");
        }
        if (env.hasTwoDevices()) {
            final Node far = Node.far(env, 16);
            refuse(node, node.options(4, 1).sendCq(far.sendCq()), "a CQ of another device");
        }
    }

    private static void cycles(final ConformanceEnv env) {
        final Node node = Node.near(env, 16);
        for (int i = 0; i < env.times(20, 200); i++) {
            final QueuePair qp = node.pd().createQp(node.options(8, 1).type(i % 2 == 0 ? QpType.RC : QpType.UD));
            if (i % 3 == 0) {
                qp.modify(initAttributes(qp));
            }
            qp.close();
        }
    }

    private static QpAttributes initAttributes(final QueuePair qp) {
        final QpAttributes attributes = QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0);
        return qp.type() == QpType.RC ? attributes.accessFlags(Set.of()) : attributes.qkey(0x123);
    }

    private static void closesTwice(final ConformanceEnv env) {
        final Node node = Node.near(env, 16);
        final QueuePair qp = node.rc(4, 1);
        qp.close();
        final QueuePair other = node.rc(4, 1);
        qp.close();
        Check.that(qp.isClosed() && !other.isClosed(), "the second close hit another QP");
        other.modify(initAttributes(other));
    }

    private static void answersClosed(final ConformanceEnv env) {
        final Node node = Node.near(env, 16);
        final Memory memory = node.memory(4096);
        final QueuePair qp = node.rc(4, 1);
        qp.close();
        Check.code(ReturnCode.CLOSED, qp.postSend(1, memory.at(0), 1, memory.lkey()), "post send");
        Check.code(ReturnCode.CLOSED, qp.postReceive(1, memory.at(0), 1, memory.lkey()), "post receive");
        Check.refused(EBADFD, () -> qp.modify(initAttributes(qp)), "modify", "closed");
        Check.refused(EBADFD, qp::query, "query", "closed");
        Check.that(!qp.toString().isEmpty(), "a closed QP prints nothing");
    }

    private static void addressIsPrintable(final ConformanceEnv env) {
        final Node node = Node.near(env, 16);
        final QpAddress rc = node.rc(4, 1).localAddress();
        Check.equal(rc, QpAddress.parse(rc.toString()), "address printed as " + rc);
        Check.equal(env.device().queryGid(1, 0), rc.gid(), "GID");
        final QueuePair ud = node.ud(4, 1, 0x8123_4567);
        Check.equal(ud.localAddress(), QpAddress.parse(ud.localAddress().toString()), "address of a UD QP");
        Check.equal(0x8123_4567, ud.localAddress().qkey(), "queue key in the address of a UD QP");
        Check.equal(ud.qpNumber(), ud.localAddress().qpn(), "number in the address of a UD QP");
    }

    private static void rcTellsAttributes(final ConformanceEnv env) {
        final QueuePair qp = Node.near(env, 16).rc(4, 1);
        final QueuePair peer = Node.far(env, 16).rc(4, 1);
        qp.modify(initAttributes(qp));
        Check.equal(QpState.INIT, qp.query().state(), "state");
        Check.equal(1, qp.query().port(), "port");
        qp.modify(rtrAttributes(peer).rqPsn(0xabcdef));
        final QpAttributes rtr = qp.query();
        Check.equal(QpState.RTR, rtr.state(), "state");
        Check.equal(peer.qpNumber(), rtr.destQpn(), "peer's QP number");
        Check.equal(0xabcdef, rtr.rqPsn(), "peer's PSN");
        Check.equal(Mtu.MTU_1024, rtr.pathMtu(), "path MTU");
        Check.equal(peer.localAddress().gid(), rtr.ah().dgid(), "peer's GID");
        qp.modify(rtsAttributes().sqPsn(0x45));
        final QpAttributes rts = qp.query();
        Check.equal(QpState.RTS, rts.state(), "state");
        Check.equal(0x45, rts.sqPsn(), "own PSN");
        Check.equal(14, rts.timeout(), "timeout");
        Check.equal(7, rts.retryCnt(), "retries");
        Check.equal(7, rts.rnrRetry(), "RNR retries");
        Check.equal(12, rts.minRnrTimer(), "RNR timer");
    }

    private static void depthOfReads(final ConformanceEnv env) {
        final DeviceAttributes device = env.device().attributes();
        final int asked = Math.min(12, Math.min(device.maxQpRdAtom(), device.maxQpInitRdAtom()));
        final QueuePair qp = Node.near(env, 16).rc(4, 1);
        final QueuePair peer = Node.far(env, 16).rc(4, 1);
        qp.modify(initAttributes(qp));
        qp.modify(rtrAttributes(peer).maxDestRdAtomic(asked));
        qp.modify(rtsAttributes().maxRdAtomic(asked));
        final QpAttributes attributes = qp.query();
        Check.that(attributes.maxRdAtomic() >= asked && attributes.maxDestRdAtomic() >= asked,
            "asked for a depth of %d, got %d and %d", asked, attributes.maxRdAtomic(), attributes.maxDestRdAtomic());
    }

    static QpAttributes rtrAttributes(final QueuePair peer) {
        return QpAttributes.to(QpState.RTR).ah(AhAttributes.to(peer.localAddress().gid())).pathMtu(Mtu.MTU_1024)
            .destQpn(peer.qpNumber()).rqPsn(peer.localAddress().psn()).maxDestRdAtomic(1).minRnrTimer(12);
    }

    static QpAttributes rtsAttributes() {
        return QpAttributes.to(QpState.RTS).sqPsn(0x123).timeout(14).retryCnt(7).rnrRetry(7).maxRdAtomic(1);
    }

    private static void udTellsAttributes(final ConformanceEnv env) {
        final Node node = Node.near(env, 16);
        final QueuePair qp = env.own(node.pd().createQp(node.options(4, 1).type(QpType.UD)));
        qp.modify(QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).qkey(0x123));
        Check.equal(QpState.INIT, qp.query().state(), "state");
        Check.equal(0x123, qp.query().qkey(), "queue key");
        qp.modify(QpAttributes.to(QpState.RTR));
        Check.equal(QpState.RTR, qp.query().state(), "state");
        qp.modify(QpAttributes.to(QpState.RTS).sqPsn(0x45));
        Check.equal(QpState.RTS, qp.query().state(), "state");
        Check.equal(0x45, qp.query().sqPsn(), "own PSN");
    }

    private static void privilegedQkey(final ConformanceEnv env) {
        final QueuePair qp = Node.near(env, 16).ud(4, 1, 0x8000_0000);
        Check.equal(0x8000_0000, qp.query().qkey(), "queue key");
    }

    private static void refusesTransitions(final ConformanceEnv env) {
        final QueuePair qp = Node.near(env, 16).rc(4, 1);
        final QueuePair peer = Node.far(env, 16).rc(4, 1);
        refuse(qp, rtrAttributes(peer), "RESET to RTR");
        refuse(qp, rtsAttributes(), "RESET to RTS");
        refuse(qp, new QpAttributes().port(1), "no state");
        Check.equal(QpState.RESET, qp.state(), "state afterwards");
        qp.modify(initAttributes(qp));
        refuse(qp, rtsAttributes(), "INIT to RTS");
        refuse(qp, QpAttributes.to(QpState.SQD), "INIT to SQD");
        Check.equal(QpState.INIT, qp.state(), "state afterwards");
        qp.modify(rtrAttributes(peer));
        refuse(qp, initAttributes(qp), "RTR to INIT");
        qp.modify(rtsAttributes());
        refuse(qp, rtrAttributes(peer), "RTS to RTR");
        Check.equal(QpState.RTS, qp.state(), "state afterwards");
    }

    private static void refuse(
        final QueuePair qp, final QpAttributes attributes, final String what, final String... words) {
        Check.refused(EINVAL, () -> qp.modify(attributes), what, words);
    }

    private static void refusesMissing(final ConformanceEnv env) {
        final QueuePair qp = Node.near(env, 16).rc(4, 1);
        final QueuePair peer = Node.far(env, 16).rc(4, 1);
        refuse(qp, QpAttributes.to(QpState.INIT).port(1).accessFlags(Set.of()), "no partition key", "PKEY_INDEX");
        refuse(qp, QpAttributes.to(QpState.INIT).pkeyIndex(0).accessFlags(Set.of()), "no port", "PORT");
        refuse(qp, QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0), "no access flags", "ACCESS_FLAGS");
        refuse(qp, initAttributes(qp).qkey(1), "a queue key for RC", "QKEY");
        refuse(qp, initAttributes(qp).destQpn(1), "a peer too early", "DEST_QPN");
        qp.modify(initAttributes(qp));
        refuse(qp, QpAttributes.to(QpState.RTR).destQpn(peer.qpNumber()).rqPsn(1), "no way to the peer", "AV");
        qp.modify(rtrAttributes(peer));
        refuse(qp, QpAttributes.to(QpState.RTS).sqPsn(1).timeout(14).retryCnt(7).rnrRetry(7), "no read depth",
            "MAX_QP_RD_ATOMIC");
    }

    private static void refusesOutOfRange(final ConformanceEnv env) {
        final QueuePair qp = Node.near(env, 16).rc(4, 1);
        final QueuePair peer = Node.far(env, 16).rc(4, 1);
        refuse(qp, initAttributes(qp).port(0), "port 0", "port");
        refuse(qp, initAttributes(qp).port(1 + env.device().attributes().physicalPortCount()), "port 2", "port");
        refuse(qp, initAttributes(qp).pkeyIndex(env.device().attributes().maxPkeys()), "partition key index", "pkey");
        refuse(qp, initAttributes(qp).pkeyIndex(-1), "partition key index", "pkey");
        qp.modify(initAttributes(qp));
        refuse(qp, rtrAttributes(peer).rqPsn(1 << 24), "PSN of 25 bits", "psn");
        refuse(qp, rtrAttributes(peer).rqPsn(-1), "negative PSN", "psn");
        refuse(qp, rtrAttributes(peer).destQpn(1 << 24), "QP number of 25 bits", "qpn");
        refuse(qp, rtrAttributes(peer).minRnrTimer(32), "RNR timer 32", "rnr");
        refuse(qp, rtrAttributes(peer).maxDestRdAtomic(1000), "1000 reads", "1000");
        final int unbound = env.device().attributes().gidTableLength() - 1;
        refuse(qp, rtrAttributes(peer).ah(new AhAttributes(peer.localAddress().gid(), unbound, 64, 0, 0, 0, 1)),
            "unbound source GID", "gid");
        qp.modify(rtrAttributes(peer));
        refuse(qp, rtsAttributes().timeout(32), "timeout 32", "timeout");
        refuse(qp, rtsAttributes().retryCnt(8), "8 retries", "retry");
        refuse(qp, rtsAttributes().rnrRetry(8), "8 RNR retries", "rnr");
        refuse(qp, rtsAttributes().sqPsn(1 << 24), "PSN of 25 bits", "psn");
        Check.equal(QpState.RTR, qp.state(), "state afterwards");
    }

    private static void goesToErr(final ConformanceEnv env) {
        final Node near = Node.near(env, 64);
        final Node far = Node.far(env, 64);
        for (final QpState from : List.of(QpState.INIT, QpState.RTR, QpState.RTS)) {
            final QueuePair qp = near.rc(4, 1);
            final QueuePair peer = far.rc(4, 1);
            qp.modify(initAttributes(qp));
            if (from != QpState.INIT) {
                qp.modify(rtrAttributes(peer));
            }
            if (from == QpState.RTS) {
                qp.modify(rtsAttributes());
            }
            qp.modify(QpAttributes.to(QpState.ERR));
            Check.equal(QpState.ERR, qp.state(), "state after %s to ERR", from);
            Check.equal(QpState.ERR, qp.query().state(), "queried state after %s to ERR", from);
        }
        near.received().none(Duration.ofMillis(10), "nothing was posted");
    }

    private static void usedAgain(final ConformanceEnv env) {
        final RcPair pair = RcPair.connected(env, 8, 2);
        final Memory from = pair.near().memory(4096);
        final Memory to = pair.far().memory(4096);
        for (int i = 0; i < 3; i++) {
            pair.exchange(from, 0, to, 0, 1000 + i);
            pair.sendUnseen(10);
            Check.ok(pair.farQp().postReceive(77, to.at(0), 10, to.lkey()), "post a receive that stays");
            pair.nearQp().modify(QpAttributes.to(QpState.RESET));
            pair.farQp().modify(QpAttributes.to(QpState.RESET));
            pair.far().received().none(Duration.ofMillis(5), "RESET removes completions and receives");
            Check.equal(QpState.RESET, pair.nearQp().query().state(), "state");
            pair.connect();
        }
        pair.exchange(from, 0, to, 0, 2000);
    }

    private static void connectorChecks(final ConformanceEnv env) {
        final Node node = Node.near(env, 16);
        final QueuePair rc = node.rc(4, 1);
        Check.refused(EINVAL, () -> QpConnector.activate(rc, 1), "activate RC", "UD");
        final QueuePair ud = node.ud(4, 1, 1);
        Check.refused(EINVAL, () -> QpConnector.connect(ud, rc.localAddress()), "connect UD", "RC");
        Check.refused(EINVAL, () -> QpConnector.activate(ud, 1), "activate twice", "RESET");
    }
}
