/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.pvrdma.Refusals.assertClosed;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.AddressHandle;
import io.rdma4j.verbs.AhAttributes;
import io.rdma4j.verbs.DeviceAttributes;
import io.rdma4j.verbs.Gid;
import io.rdma4j.verbs.Mtu;
import io.rdma4j.verbs.QpAddress;
import io.rdma4j.verbs.QpAttribute;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class QpTest {
    @RegisterExtension
    final Devices devices = new Devices();

    private static QpAttributes init() {
        return QpAttributes.to(QpState.INIT).port(1).pkeyIndex(0).accessFlags(Set.of());
    }

    private static QpAttributes rtr(final Gid gid) {
        return QpAttributes.to(QpState.RTR).ah(AhAttributes.to(gid)).pathMtu(Mtu.MTU_1024).destQpn(0x17).rqPsn(1)
            .maxDestRdAtomic(1).minRnrTimer(12);
    }

    @Test
    void roundsSizesUpAndTellsThem() {
        final PvrdmaContext device = devices.open();
        final QueuePair qp = device.allocatePd().createQp(new QpOptions().cq(device.createCq(512))
            .maxSendWr(100).maxReceiveWr(1).maxSendSge(3).maxReceiveSge(2));

        assertThat(qp.maxSendWr()).isEqualTo(128);
        assertThat(qp.maxReceiveWr()).isEqualTo(1);
        assertThat(qp.maxSendSge()).isEqualTo(3);
        assertThat(qp.maxReceiveSge()).isEqualTo(2);
        assertThat(qp.state()).isEqualTo(QpState.RESET);
        assertThat(qp.type()).isEqualTo(QpType.RC);
        assertThat(qp.srq()).isNull();
        assertThat(QpAddress.parse(qp.localAddress().toString())).isEqualTo(qp.localAddress());
        assertThat(qp.localAddress().gid()).isEqualTo(device.queryGid(1, 0));
        assertThat(qp.query().state()).isEqualTo(QpState.RESET);
    }

    @Test
    void takesTheLargestSizesOfEachSgeCount() {
        final PvrdmaContext device = devices.open();
        final var pd = device.allocatePd();
        final var cq = device.createCq(1);
        final DeviceAttributes limits = device.attributes();
        for (int sge = 1; sge <= limits.maxSge(); sge++) {
            final QpOptions options = new QpOptions().cq(cq).reserveCq(false).maxSendSge(sge).maxReceiveSge(sge)
                .maxSendWr(limits.maxSendWr(sge)).maxReceiveWr(limits.maxReceiveWr(sge));
            final QueuePair qp = pd.createQp(options);
            assertThat(qp.maxSendWr()).isEqualTo(limits.maxSendWr(sge));
            qp.close();
        }
    }

    @Test
    void refusesOptionsOutOfRange() {
        final PvrdmaContext device = devices.open();
        final var pd = device.allocatePd();
        final var cq = device.createCq(512);
        final DeviceAttributes limits = device.attributes();

        assertInvalid(() -> pd.createQp(null), "options is null");
        assertInvalid(() -> pd.createQp(new QpOptions()), "receive CQ is null");
        assertInvalid(() -> pd.createQp(new QpOptions().receiveCq(cq)), "send CQ is null");
        assertInvalid(() -> pd.createQp(new QpOptions().cq(cq).type(null)), "type is null");
        assertInvalid(() -> pd.createQp(new QpOptions().cq(cq).maxSendWr(0)), "maxSendWr is 0");
        assertInvalid(() -> pd.createQp(new QpOptions().cq(cq).maxSendWr(-1)));
        assertInvalid(() -> pd.createQp(new QpOptions().cq(cq).maxSendWr(Integer.MAX_VALUE)), "maxSendWr");
        assertInvalid(() -> pd.createQp(new QpOptions().cq(cq).maxReceiveWr(limits.maxReceiveWr(1) + 1)),
            "maxReceiveWr");
        assertInvalid(() -> pd.createQp(new QpOptions().cq(cq).maxSendSge(limits.maxSge() + 1)), "maxSendSge");
        assertInvalid(() -> pd.createQp(new QpOptions().cq(cq).maxReceiveSge(0)), "maxReceiveSge is 0");
        assertThat(device.device.commands().liveObjects()).isEqualTo(2);
        cq.close();
    }

    @Test
    void refusesObjectsOfOthers() {
        final PvrdmaContext device = devices.open();
        final PvrdmaContext other = devices.open();
        final var pd = device.allocatePd();
        final var cq = device.createCq(512);
        final var foreignCq = other.createCq(512);
        final var otherPd = device.allocatePd();
        final var foreignSrq = otherPd.createSrq(4, 1);

        assertInvalid(() -> pd.createQp(new QpOptions().cq(foreignCq)), "belongs to another device");
        assertInvalid(() -> pd.createQp(new QpOptions().cq(cq).sendCq(foreignCq)), "send CQ");
        assertInvalid(() -> pd.createQp(new QpOptions().cq(cq).srq(foreignSrq)),
            "belongs to another protection domain");
        assertInvalid(() -> pd.register(other.allocate(1)), "belongs to another device");
        foreignCq.close();
    }

    @Test
    void walksThroughTheStates() {
        final PvrdmaContext device = devices.open();
        final Gid gid = device.queryGid(1, 0);
        final QueuePair qp = device.allocatePd().createQp(new QpOptions().cq(device.createCq(512)));
        qp.modify(QpAttributes.to(QpState.RESET));
        assertThat(qp.postReceive(1, 0, 0, 0)).isEqualTo(ReturnCode.WRONG_STATE);
        qp.modify(init());
        assertThat(qp.postReceive(1, 0, 0, 0)).isZero();
        assertThat(qp.postSend(1, 0, 0, 0)).isEqualTo(ReturnCode.WRONG_STATE);
        assertInvalid(() -> qp.modify(rtr(gid).destQpn(0x1000000)), "DEST_QPN");
        assertInvalid(() -> qp.modify(QpAttributes.to(QpState.RTR)), "INIT to RTR",
            "AV", "PATH_MTU", "DEST_QPN", "RQ_PSN", "MAX_DEST_RD_ATOMIC", "MIN_RNR_TIMER", "missing");
        assertInvalid(() -> qp.modify(rtr(gid).qkey(1)), "[QKEY] not allowed");
        qp.modify(rtr(gid));
        assertThat(qp.state()).isEqualTo(QpState.RTR);
        assertInvalid(() -> qp.modify(init()), "no way", "RTR to INIT");
        final QpAttributes rts =
            QpAttributes.to(QpState.RTS).sqPsn(0x45).timeout(14).retryCnt(7).rnrRetry(7).maxRdAtomic(1);
        final QpAttributes stateless = new QpAttributes().sqPsn(1);
        assertInvalid(() -> qp.modify(stateless), "STATE is missing", "stays", "QpAttributes.to(RTR)");
        qp.modify(rts);
        assertThat(qp.state()).isEqualTo(QpState.RTS);

        final QpAttributes known = qp.query();
        assertThat(known.state()).isEqualTo(QpState.RTS);
        assertThat(known.sqPsn()).isEqualTo(0x45);
        assertThat(known.destQpn()).isEqualTo(0x17);
        assertThat(known.pathMtu()).isEqualTo(Mtu.MTU_1024);
        assertThat(known.timeout()).isEqualTo(14);
        assertThat(known.ah().dgid()).isEqualTo(gid);
        assertThat(known.has(QpAttribute.QKEY)).isFalse();
    }

    @Test
    void refusesAttributesOutOfRange() {
        final PvrdmaContext device = devices.open();
        final QueuePair qp = device.allocatePd().createQp(new QpOptions().cq(device.createCq(512)));
        final Gid gid = device.queryGid(1, 0);

        assertInvalid(() -> qp.modify(null), "null");
        assertInvalid(() -> qp.modify(new QpAttributes().state(null)), "STATE is missing", "QpAttributes.to(RESET)");
        assertInvalid(() -> qp.modify(init().port(0)), "port is 0");
        assertInvalid(() -> qp.modify(init().port(2)));
        assertInvalid(() -> qp.modify(init().pkeyIndex(device.attributes().maxPkeys())), "PKEY_INDEX");
        assertInvalid(() -> qp.modify(init().pkeyIndex(-1)), "PKEY_INDEX is -1");
        assertInvalid(() -> qp.modify(init().accessFlags(AccessFlag.ON_DEMAND)), "ON_DEMAND");
        qp.modify(init());
        assertInvalid(() -> qp.modify(rtr(gid).ah(null)), "null");
        assertInvalid(() -> qp.modify(rtr(gid).pathMtu(null)), "PATH_MTU");
        assertInvalid(() -> qp.modify(rtr(gid).rqPsn(1 << 24)), "RQ_PSN");
        assertInvalid(() -> qp.modify(rtr(gid).minRnrTimer(32)), "MIN_RNR_TIMER");
        assertInvalid(() -> qp.modify(rtr(gid).maxDestRdAtomic(device.attributes().maxQpRdAtom() + 1)));
        assertInvalid(() -> qp.modify(rtr(Gid.parse("ff02::1"))), "multicast");
        assertInvalid(() -> qp.modify(rtr(Gid.ZERO)), "zero");
        assertInvalid(() -> qp.modify(rtr(gid).ah(new AhAttributes(gid, 5, 64, 0, 0, 0, 1))), "index 5 is unbound");
        assertInvalid(() -> qp.modify(rtr(gid).ah(new AhAttributes(gid, 0, 256, 0, 0, 0, 1))), "hop limit");
        assertInvalid(() -> qp.modify(rtr(gid).ah(new AhAttributes(gid, 0, 64, 0, 1 << 20, 0, 1))), "flow label");
        qp.modify(rtr(gid));
        assertInvalid(() -> qp.modify(QpAttributes.to(QpState.RTS).curState(QpState.INIT).sqPsn(0).timeout(14)
            .retryCnt(7).rnrRetry(7).maxRdAtomic(1)), "CUR_STATE is INIT, the QP is in RTR");
        assertInvalid(() -> qp.modify(
            QpAttributes.to(QpState.RTS).sqPsn(0).timeout(32).retryCnt(7).rnrRetry(7).maxRdAtomic(1)), "TIMEOUT");
        assertInvalid(() -> qp.modify(
            QpAttributes.to(QpState.RTS).sqPsn(0).timeout(14).retryCnt(8).rnrRetry(7).maxRdAtomic(1)), "RETRY_CNT");
        assertThat(qp.state()).isEqualTo(QpState.RTR);
    }

    @Test
    void startsAgainAfterReset() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.rc(devices.open());
        for (int round = 0; round < 5; round++) {
            a.connect(b);
            // Not polled: gone with RESET.
            a.qp.postReceive(900 + round, a.at(0), 8, a.lkey());
            b.qp.postSend(800 + round, b.at(0), 8, b.lkey());
            b.qp.postReceive(round, b.at(0), 64, b.lkey());
            a.qp.postSend(100 + round, a.at(0), 64, a.lkey());
            a.qp.modify(QpAttributes.to(QpState.RESET));
            b.qp.modify(QpAttributes.to(QpState.RESET));
            Completions.assertNone(a.cq);
            Completions.assertNone(b.cq);
        }
        a.connect(b);
        b.qp.postReceive(1, b.at(0), 64, b.lkey());
        a.qp.postSend(2, a.at(0), 64, a.lkey());
        assertThat(Completions.awaitSuccess(b.cq).wrId()).isEqualTo(1);
        assertThat(Completions.awaitSuccess(a.cq).wrId()).isEqualTo(2);
        assertThat(a.cq.dropped() + b.cq.dropped()).isZero();
    }

    @Test
    void asksForANewQpWhereTheDeviceCannotStartAgain() {
        final Peer a = Peer.rc(devices.open(Devices.QEMU));
        a.connect(Peer.rc(devices.open()));
        a.qp.modify(QpAttributes.to(QpState.RESET));

        assertThat(a.qp.state()).isEqualTo(QpState.RESET);
        assertRefused(RdmaException.EOPNOTSUPP, () -> a.qp.modify(init()), "create a new one");
    }

    @Test
    void connectsOnlyFreshQpsOfTheRightType() {
        final Peer a = Peer.rc(devices.open());
        final Peer b = Peer.ud(devices.open());
        assertInvalid(() -> QpConnector.activate(a.qp, 1), "UD QP in RESET");
        assertInvalid(() -> QpConnector.connect(b.qp, a.qp.localAddress()), "RC QP in RESET");
        assertThat(b.qp.localAddress().qkey()).isEqualTo(Peer.QKEY);
    }

    @Test
    void refusesBadSendRequests() {
        final PvrdmaContext device = devices.open();
        final Peer a = Peer.rc(device);
        a.connect(Peer.rc(devices.open()));
        final Peer u = Peer.ud(device);
        final SendRequest request = new SendRequest(5).sge(a.at(0), 8, a.lkey());

        assertThat(a.qp.postSend((SendRequest) null)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.qp.postSend(null, 1)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.qp.postSend(new SendRequest[1], 1)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.qp.postSend(new SendRequest[] {request}, 2)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.qp.postSend(new SendRequest[] {request}, -1)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.qp.postSend(new SendRequest[0], 0)).isZero();
        assertThat(a.qp.postSend(1, a.at(0), -1, a.lkey())).isEqualTo(ReturnCode.INVALID_REQUEST);
        for (int i = 0; i < 4; i++) {
            request.addSge(a.at(0), 8, a.lkey());
        }
        assertThat(a.qp.postSend(request)).isEqualTo(ReturnCode.TOO_MANY_SGES);
        request.sge(a.at(0), Integer.MAX_VALUE, a.lkey()).addSge(a.at(0), 2, a.lkey());
        assertThat(a.qp.postSend(request)).as("2^31 + 1 bytes").isEqualTo(ReturnCode.INVALID_REQUEST);
        request.opcode(SendOpcode.ATOMIC_FETCH_AND_ADD).sge(a.at(0), 4, a.lkey());
        assertThat(a.qp.postSend(request)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(u.qp.postSend(1, a.at(0), 8, a.lkey())).as("no address").isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(u.qp.postSend(new SendRequest())).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(u.qp.postSend(new SendRequest().opcode(SendOpcode.RDMA_WRITE))).isEqualTo(ReturnCode.UNSUPPORTED);
        Completions.assertNone(a.cq);
        Completions.assertNone(u.cq);
    }

    @Test
    void refusesWhatTheDeviceWouldDoWrongly() {
        final Peer a = Peer.rc(devices.open(Devices.QEMU));
        a.connect(Peer.rc(devices.open()));
        for (final SendOpcode opcode : SendOpcode.values()) {
            if (opcode != SendOpcode.SEND) {
                assertThat(a.qp.postSend(new SendRequest().opcode(opcode).sge(a.at(0), 8, a.lkey()))).as("%s", opcode)
                    .isEqualTo(ReturnCode.UNSUPPORTED);
            }
        }
    }

    @Test
    void refusesForeignAndClosedAddressHandles() {
        final Peer u = Peer.ud(devices.open());
        final AhAttributes way = AhAttributes.to(u.qp.localAddress().gid());
        final AddressHandle own = u.pd.createAh(way);
        final AddressHandle foreign = u.context.allocatePd().createAh(way);
        final SendRequest request = new SendRequest().sge(u.at(0), 8, u.lkey());

        assertThat(u.qp.postSend(request.to(foreign, 1, 1))).isEqualTo(ReturnCode.FOREIGN_OBJECT);
        assertThat(u.qp.postSend(request.to(own, 1 << 24, 1))).isEqualTo(ReturnCode.INVALID_REQUEST);
        own.close();
        own.close();
        assertThat(u.qp.postSend(request.to(own, 1, 1))).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(own.attributes()).isEqualTo(way);
    }

    @Test
    void refusesBadReceives() {
        final Peer a = Peer.rc(devices.open());
        a.connect(Peer.rc(devices.open()));
        final ReceiveRequest five = new ReceiveRequest(5);
        for (int i = 0; i < 5; i++) {
            five.addSge(a.at(0), 1, a.lkey());
        }
        assertThat(a.qp.postReceive(five)).isEqualTo(ReturnCode.TOO_MANY_SGES);
        assertThat(a.qp.postReceive((ReceiveRequest) null)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.qp.postReceive(null, 1)).isEqualTo(ReturnCode.INVALID_REQUEST);
        assertThat(a.qp.postReceive(new ReceiveRequest[] {five}, 1)).isEqualTo(ReturnCode.TOO_MANY_SGES);
        assertThat(a.qp.postReceive(1, a.at(0), -1, a.lkey())).isEqualTo(ReturnCode.INVALID_REQUEST);
        for (int i = 0; i < 128; i++) {
            assertThat(a.qp.postReceive(i, a.at(0), 8, a.lkey())).isZero();
        }
        assertThat(a.qp.postReceive(128, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.QUEUE_FULL);
    }

    @Test
    void refusesAddressHandlesThatLeadNowhere() {
        final PvrdmaContext device = devices.open();
        final var pd = device.allocatePd();
        final Gid gid = device.queryGid(1, 0);
        assertInvalid(() -> pd.createAh(null));
        assertInvalid(() -> pd.createAh(AhAttributes.to(null)), "null");
        assertInvalid(() -> pd.createAh(AhAttributes.to(Gid.ZERO)), "zero");
        assertInvalid(() -> pd.createAh(AhAttributes.to(Gid.parse("ff02::1"))), "multicast");
        assertInvalid(() -> pd.createAh(new AhAttributes(gid, 1, 64, 0, 0, 0, 1)), "unbound");
        assertInvalid(() -> pd.createAh(new AhAttributes(gid, -1, 64, 0, 0, 0, 1)));
        assertInvalid(() -> pd.createAh(new AhAttributes(gid, 0, 64, 0, 0, 0, 2)), "port");
        assertInvalid(() -> pd.createAh(new AhAttributes(gid, 0, 64, 256, 0, 0, 1)), "traffic class");
        assertInvalid(() -> pd.createAh(new AhAttributes(gid, 0, 64, 0, 0, 16, 1)), "service level");
    }

    @Test
    void answersWithACodeOrAnErrorAfterClosing() {
        final Peer a = Peer.rc(devices.open());
        a.connect(Peer.rc(devices.open()));
        a.qp.close();
        a.qp.close();

        assertThat(a.qp.isClosed()).isTrue();
        assertThat(a.qp.postSend(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.CLOSED);
        assertThat(a.qp.postSend(new SendRequest())).isEqualTo(ReturnCode.CLOSED);
        assertThat(a.qp.postSend(new SendRequest[1], 1)).isEqualTo(ReturnCode.CLOSED);
        assertThat(a.qp.postReceive(1, a.at(0), 8, a.lkey())).isEqualTo(ReturnCode.CLOSED);
        assertThat(a.qp.postReceive(new ReceiveRequest())).isEqualTo(ReturnCode.CLOSED);
        assertThat(a.qp.postReceive(new ReceiveRequest[1], 1)).isEqualTo(ReturnCode.CLOSED);
        assertClosed(() -> a.qp.modify(QpAttributes.to(QpState.RESET)), a.qp.toString());
        assertClosed(a.qp::query);
        assertThat(a.qp.localAddress().qpn()).isEqualTo(a.qp.qpNumber());
        assertThat(a.qp.maxSendWr()).isEqualTo(128);
        assertThat(a.qp.toString()).startsWith("QP 0x");
        a.pd.close();
        a.pd.close();
        assertClosed(() -> a.pd.createQp(new QpOptions().cq(a.cq)), "PD");
        assertClosed(() -> a.pd.createSrq(1, 1));
        assertClosed(() -> a.pd.register(a.memory));
        assertClosed(() -> a.pd.createAh(AhAttributes.to(Gid.parse("fe80::1"))));
        assertThat(a.region.isClosed()).isTrue();
        a.context.close();
        assertClosed(a.qp::localAddress, "query GID");
    }

    @Test
    void setsAttributesWithoutChangingTheState() {
        final Peer u = Peer.ud(devices.open());
        u.qp.modify(QpAttributes.to(QpState.RTS).qkey(0x8000_0000));
        assertThat(u.qp.query().qkey()).isEqualTo(0x8000_0000);
        assertThat(u.qp.localAddress().qkey()).isEqualTo(0x8000_0000);
        assertInvalid(() -> u.qp.modify(QpAttributes.to(QpState.RTS).port(1)), "[PORT] not allowed");
    }

    private static void assertReceivesRefused(final QueuePair qp, final int code) {
        assertThat(qp.postReceive(1, 0, 0, 0)).as("in %s", qp.state()).isEqualTo(code);
        assertThat(qp.postReceive(new ReceiveRequest())).as("in %s", qp.state()).isEqualTo(code);
        assertThat(qp.postReceive(new ReceiveRequest[1], 1)).as("in %s", qp.state()).isEqualTo(code);
    }

    @Test
    void aQpWithASharedQueueTakesNoReceivesInAnyState() {
        final PvrdmaContext device = devices.open();
        final var pd = device.allocatePd();
        final Peer a = new Peer(device, pd, device.createCq(512), new QpOptions().srq(pd.createSrq(4, 1)));
        final QueuePair other = pd.createQp(new QpOptions().cq(a.cq).srq(a.qp.srq()));
        assertReceivesRefused(a.qp, ReturnCode.HAS_SRQ);
        a.connect(Peer.rc(devices.open()));
        assertReceivesRefused(a.qp, ReturnCode.HAS_SRQ);
        a.qp.modify(QpAttributes.to(QpState.ERR));
        assertReceivesRefused(a.qp, ReturnCode.HAS_SRQ);
        a.qp.modify(QpAttributes.to(QpState.RESET));
        assertReceivesRefused(a.qp, ReturnCode.HAS_SRQ);
        a.qp.close();
        assertReceivesRefused(a.qp, ReturnCode.CLOSED);
        device.device.fail("test");
        assertReceivesRefused(other, ReturnCode.DEVICE_FAILED);
        assertThat(other.srq().postReceive(1, 0, 0, 0)).isEqualTo(ReturnCode.DEVICE_FAILED);
        other.close();
        assertThat(other.srq().postReceive(1, 0, 0, 0)).as("without a QP").isEqualTo(ReturnCode.DEVICE_FAILED);
    }
}
