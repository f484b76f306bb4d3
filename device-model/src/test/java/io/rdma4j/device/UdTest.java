/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND_WITH_IMM;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.hw.pvrdma.Av;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.WcFlags;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.PortAttr;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.hw.pvrdma.cmd.QueryPortRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPortResponse;

import java.util.Arrays;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams: the header in front, the keys, and what is dropped in silence. */
class UdTest {
    private static final int GRH = 40;

    private final RawPair pair = RawPair.datagrams("emulated:ud");
    private final byte[] gid = pair.driver.gid();

    @AfterEach
    void close() {
        pair.close();
    }

    private void send(int opcode, int length, int qkey) {
        pair.a.post(w -> w.send(9, opcode, PVRDMA_SEND_SIGNALED).imm(77)
            .datagram(pair.driver.pd, pair.b.qpn, qkey, gid).sge(pair.from.start(), length, pair.from.lkey));
    }

    private void receive(int length) {
        pair.b.receive(3, pair.to.start(), length, pair.to.lkey);
    }

    @Test
    void putsFortyBytesInFrontOfTheData() {
        receive(1000);

        send(PVRDMA_WR_SEND_WITH_IMM, 500, RawQp.QKEY);

        final Completion received = pair.cqB.poll();
        assertThat(received.status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(received.byteLen()).isEqualTo(540);
        assertThat(received.srcQp()).isEqualTo(pair.a.qpn);
        assertThat(received.imm()).isEqualTo(77);
        assertThat(received.flags()).isEqualTo(WcFlags.PVRDMA_WC_GRH | WcFlags.PVRDMA_WC_WITH_IMM
            | WcFlags.PVRDMA_WC_WITH_SMAC | WcFlags.PVRDMA_WC_WITH_NETWORK_HDR_TYPE);
        assertThat(received.networkHdrType()).isEqualTo(2);
        assertThat(pair.to.bytes(40, 500)).isEqualTo(pair.from.bytes(0, 500));
        final byte[] grh = pair.to.bytes(0, 40);
        assertThat(Arrays.copyOfRange(grh, 0, 4)).containsExactly(0x60, 0x51, 0x23, 0x45);
        assertThat(grh[7]).isEqualTo((byte) 33);
        assertThat(Arrays.copyOfRange(grh, 8, 24)).isEqualTo(gid);
        assertThat(Arrays.copyOfRange(grh, 24, 40)).isEqualTo(gid);
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
    }

    @Test
    void tellsTheMacOfTheSender() {
        receive(1000);
        send(PVRDMA_WR_SEND, 8, RawQp.QKEY);
        assertThat(Cqe.smac(pair.cqB.ring.page(1, 0, Cqe.LENGTH), 0)).isEqualTo(pair.driver.device().identity().mac());
        assertThat(pair.cqB.poll().flags() & WcFlags.PVRDMA_WC_WITH_SMAC).isNotZero();
    }

    @Test
    void putsAnIpv4HeaderAtTheEndOfThoseForIpv4Addresses() {
        final byte[] ipv4 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 1, 2, 3};
        pair.driver.ok(Command.CREATE_BIND, b -> new CreateBindRequest().wrap(b, 0).set(CreateBindRequest.MTU, 1024)
            .set(CreateBindRequest.VLAN, 0xfff).set(CreateBindRequest.INDEX, 1)
            .set(CreateBindRequest.NEW_GID, ipv4).set(CreateBindRequest.GID_TYPE, 2));
        receive(1000);

        pair.a.post(w -> {
            w.send(9, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED).datagram(pair.driver.pd, pair.b.qpn, RawQp.QKEY, ipv4)
                .sge(pair.from.start(), 8, pair.from.lkey);
            SqWqe.gidIndex(w.page(), w.at(), 1);
        });

        assertThat(pair.cqB.poll().networkHdrType()).isEqualTo(1);
        assertThat(pair.to.get(20)).isEqualTo((byte) 0x45);
        assertThat(pair.to.bytes(32, 8)).containsExactly(10, 1, 2, 3, 10, 1, 2, 3);
    }

    @Test
    void dropsAWrongQkeyInSilence() {
        receive(1000);

        send(PVRDMA_WR_SEND, 8, RawQp.QKEY + 1);

        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(pair.cqB.poll()).isNull();
        assertThat(pair.count(Counter.BAD_QKEY)).isEqualTo(1);
        send(PVRDMA_WR_SEND, 8, RawQp.QKEY);
        assertThat(pair.cqB.poll().wrId()).isEqualTo(3);
    }

    @Test
    void sendsItsOwnQkeyForAPrivilegedOne() {
        receive(1000);

        send(PVRDMA_WR_SEND, 8, 0x8000_0000);

        assertThat(pair.cqB.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
    }

    @Test
    void dropsWithoutAReceiveOrWithOneThatIsTooSmall() {
        send(PVRDMA_WR_SEND, 8, RawQp.QKEY);
        assertThat(pair.count(Counter.UD_DROPPED)).isEqualTo(1);
        receive(47);
        send(PVRDMA_WR_SEND, 8, RawQp.QKEY);
        assertThat(pair.count(Counter.UD_DROPPED)).isEqualTo(2);
        assertThat(pair.cqB.poll()).isNull();

        send(PVRDMA_WR_SEND, 7, RawQp.QKEY);

        assertThat(pair.cqB.poll().byteLen()).isEqualTo(47);
    }

    @Test
    void dropsForAnUnknownQueuePairOrGid() {
        receive(1000);
        pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED).datagram(pair.driver.pd, 0x77, RawQp.QKEY,
            gid));
        pair.a.post(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED).datagram(pair.driver.pd, pair.b.qpn,
            RawQp.QKEY,
            new byte[16]));
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(pair.cqB.poll()).isNull();
        assertThat(pair.count(Counter.NO_PEER)).isEqualTo(2);
    }

    /** Whatever is remembered of the one before. */
    @ParameterizedTest
    @ValueSource(ints = {7, 15})
    void goesWhereEachDatagramSays(int changed) {
        final byte[] other = gid.clone();
        other[changed] ^= 1;
        for (int i = 0; i < 2; i++) {
            receive(1000);
            send(PVRDMA_WR_SEND, 8, RawQp.QKEY);
            assertThat(pair.cqB.poll().wrId()).isEqualTo(3);
            receive(1000);
            pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, 0).datagram(pair.driver.pd, pair.b.qpn, RawQp.QKEY, other));
            assertThat(pair.cqB.poll()).isNull();
            assertThat(pair.count(Counter.NO_PEER)).isEqualTo(i + 1);
            send(PVRDMA_WR_SEND, 8, RawQp.QKEY);
            assertThat(pair.cqB.poll().wrId()).isEqualTo(3);
        }
    }

    @Test
    void dropsForAQueuePairThatIsNotReadyOrNoneForDatagrams() {
        final RawQp connected = pair.driver.createQp(RawQp.with().cq(pair.cqB)).connect(0x77, gid);
        final RawQp fresh = pair.driver.createQp(RawQp.with().ud().cq(pair.cqB));
        final RawQp init = pair.driver.createQp(RawQp.with().ud().cq(pair.cqB));
        init.toInit();
        final RawQp failed = pair.driver.createQp(RawQp.with().ud().cq(pair.cqB)).connect(0, gid);
        failed.modifyState(QpState.PVRDMA_QPS_ERR);
        final RawQp gone = pair.driver.createQp(RawQp.with().ud().cq(pair.cqB)).connect(0, gid);
        gone.receive(1, pair.to.start(), 100, pair.to.lkey);
        gone.destroy();
        final RawQp[] targets = {connected, fresh, init, failed, gone};
        for (RawQp target : targets) {
            pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED).datagram(pair.driver.pd, target.qpn,
                RawQp.QKEY, gid));
            assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        }
        assertThat(pair.count(Counter.NO_PEER)).isEqualTo(targets.length);
        assertThat(pair.cqB.poll()).isNull();
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
    }

    @Test
    void takesDatagramsBeforeItMaySend() {
        final RawQp ready = pair.driver.createQp(RawQp.with().ud().cq(pair.cqB));
        ready.toInit();
        ready.toRtr(0, gid);
        ready.receive(1, pair.to.start(), 100, pair.to.lkey);
        pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, 0).datagram(pair.driver.pd, ready.qpn, RawQp.QKEY, gid));
        assertThat(pair.cqB.poll().byteLen()).isEqualTo(40);
    }

    @Test
    void letsTheSenderLiveWhenTheReceiverBreaks() {
        pair.b.receive(1, pair.to.start(), 100, pair.to.lkey ^ 0x100);
        send(PVRDMA_WR_SEND, 8, RawQp.QKEY);
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
        assertThat(pair.cqB.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
    }

    @Test
    void countsWrongQkeysAtThePort() {
        for (int i = 0; i < 3; i++) {
            send(PVRDMA_WR_SEND, 8, 5);
        }
        assertThat(new QueryPortResponse().wrap(pair.driver.ok(Command.QUERY_PORT, b -> new QueryPortRequest()
            .wrap(b, 0).set(QueryPortRequest.PORT_NUM, 1)), 0)
            .get(QueryPortResponse.ATTRS).get(PortAttr.QKEY_VIOL_CNTR)).isEqualTo(3);
    }

    @Test
    void refusesMulticast() {
        final byte[] group = gid.clone();
        group[0] = (byte) 0xff;
        pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED).datagram(pair.driver.pd, pair.b.qpn,
            RawQp.QKEY,
            group));
        assertThat(pair.count(Counter.MULTICAST)).isEqualTo(1);
    }

    @Test
    void carriesAsMuchAsOnePacketHolds() {
        receive(GRH + 4096);
        send(PVRDMA_WR_SEND, 4096, RawQp.QKEY);
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(pair.cqB.poll().byteLen()).isEqualTo(GRH + 4096);
        assertThat(pair.to.bytes(GRH, 4096)).isEqualTo(pair.from.bytes(0, 4096));
    }

    @ParameterizedTest
    @ValueSource(ints = {WrOpcode.PVRDMA_WR_RDMA_WRITE, WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM,
        WrOpcode.PVRDMA_WR_RDMA_READ, WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV, WrOpcode.PVRDMA_WR_ATOMIC_CMP_AND_SWP,
        WrOpcode.PVRDMA_WR_ATOMIC_FETCH_AND_ADD, WrOpcode.PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP,
        WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD, WrOpcode.PVRDMA_WR_SEND_WITH_INV,
        WrOpcode.PVRDMA_WR_LOCAL_INV, WrOpcode.PVRDMA_WR_FAST_REG_MR, WrOpcode.PVRDMA_WR_BIND_MW})
    void refusesWhatOnlyConnectionsDo(int opcode) {
        receive(1000);
        send(opcode, 8, RawQp.QKEY);
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
        assertThat(pair.count(Counter.BAD_WQES)).isEqualTo(1);
        assertThat(pair.cqB.poll()).isNull();
    }

    @Test
    void refusesMoreThanOnePacketHolds() {
        final RawPair p = pair;
        send(PVRDMA_WR_SEND, 4097, RawQp.QKEY);
        assertThat(p.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_LEN_ERR);
    }

    @Test
    void stopsTheSendSideAloneAndGoesOnAfterARepair() {
        pair.a.write(w -> w.send(1, PVRDMA_WR_RDMA_WRITE, 0));
        pair.a.write(w -> w.send(2, PVRDMA_WR_SEND, 0));
        pair.a.ringSend();

        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_SQE);
        pair.a.receive(8, pair.to.start(), 100, pair.to.lkey);
        pair.b.post(w -> w.send(1, PVRDMA_WR_SEND, 0).datagram(pair.driver.pd, pair.a.qpn, RawQp.QKEY, gid));
        assertThat(pair.cqA.poll().wrId()).isEqualTo(8);

        assertThat(pair.a.modify(QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_CUR_STATE,
            attr -> attr.set(QpAttr.QP_STATE, QpState.PVRDMA_QPS_RTS)
                .set(QpAttr.CUR_QP_STATE, QpState.PVRDMA_QPS_SQE))).isZero();
        receive(1000);
        send(PVRDMA_WR_SEND, 8, RawQp.QKEY);
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
    }

    private int nextPsn() {
        return pair.a.query().get(QpAttr.SQ_PSN);
    }

    /** What becomes of one does not matter, but that it went. */
    @Test
    void givesEachDatagramTheNextNumber() {
        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_RESET)).isZero();
        pair.a.zeroIndices();
        assertThat(pair.a.toInit() | pair.a.toRtr(0, gid)).isZero();
        assertThat(pair.a.modify(QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_SQ_PSN,
            attr -> attr.set(QpAttr.QP_STATE, QpState.PVRDMA_QPS_RTS).set(QpAttr.SQ_PSN, 0xff_ffff))).isZero();
        receive(1000);

        send(PVRDMA_WR_SEND, 8, RawQp.QKEY);
        assertThat(nextPsn()).as("it has 24 bits").isZero();
        send(PVRDMA_WR_SEND, 8, RawQp.QKEY);
        assertThat(pair.count(Counter.UD_DROPPED)).isEqualTo(1);
        assertThat(nextPsn()).isEqualTo(1);
        pair.a.post(w -> w.send(9, PVRDMA_WR_SEND, 0).datagram(pair.driver.pd, pair.b.qpn, RawQp.QKEY, new byte[16]));
        assertThat(nextPsn()).isEqualTo(2);
        final byte[] group = new byte[16];
        group[0] = -1;
        pair.a.post(w -> w.send(9, PVRDMA_WR_SEND, 0).datagram(pair.driver.pd, pair.b.qpn, RawQp.QKEY, group));
        assertThat(nextPsn()).isEqualTo(3);
        pair.a.post(w -> w.send(9, PVRDMA_WR_RDMA_WRITE, 0));
        assertThat(nextPsn()).as("it did not go").isEqualTo(3);
    }

    @Test
    void refusesAnAddressVectorOfAnotherDomainPortOrGidIndex() {
        for (int wrong = 0; wrong < 3; wrong++) {
            final int which = wrong;
            pair.a.post(w -> {
                w.send(1, PVRDMA_WR_SEND, 0).datagram(pair.driver.pd + (which == 0 ? 1 : 0), pair.b.qpn, RawQp.QKEY,
                    gid);
                if (which == 1) {
                    final int av = SqWqe.udAvOffset(w.at());
                    Av.portPd(w.page(), av, Av.packPortPd(pair.driver.pd, 2));
                } else if (which == 2) {
                    SqWqe.gidIndex(w.page(), w.at(), 200);
                }
            });
            assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
            pair.a.modifyState(QpState.PVRDMA_QPS_RTS);
        }
    }
}
