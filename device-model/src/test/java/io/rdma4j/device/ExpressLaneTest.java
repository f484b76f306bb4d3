/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What is remembered of a connection on which all went well is forgotten when it does not hold any more. Regions of one
 * page are what the short way takes; each test sends twice before, as the first message goes the long way.
 */
class ExpressLaneTest {
    private static final int SIZE = 2048;

    private final RawPair pair = RawPair.connected("emulated:express");
    private final RawRegion from = pair.driver.register(pair.driver.pd, SIZE, 8, RawPair.ALL);
    private final RawRegion to = pair.driver.register(pair.driver.pd, SIZE, 16, RawPair.ALL);
    private long next;

    @BeforeEach
    void warmUp() {
        from.fill(3);
        for (int i = 0; i < 3; i++) {
            assertThat(send(64, 64)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
            assertThat(pair.cqB.await().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
            assertThat(write(0, 64)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        }
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private int send(int length, int room) {
        pair.b.receive(++next, to.start(), room, to.lkey);
        return sendOnly(length);
    }

    private int sendOnly(int length) {
        pair.a.send(next, from.start(), length, from.lkey);
        return pair.cqA.await().status();
    }

    private int write(int at, int length) {
        return pair.run(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE,
            SendFlags.PVRDMA_SEND_SIGNALED).rdma(to.start() + at, to.rkey)
            .sge(from.start(), length, from.lkey));
    }

    private void end(RawRegion region) {
        assertThat(pair.driver.destroy(Command.DESTROY_MR, region.handle)).isZero();
    }

    @Test
    void carriesBytesOfAnyLengthAndNoMore() {
        for (int length = 1; length <= 400; length++) {
            to.fill(99);
            assertThat(write(5, length)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
            assertThat(to.bytes(5, length)).as("%d bytes", length).isEqualTo(from.bytes(0, length));
            assertThat(to.get(4)).isEqualTo((byte) RawRegion.pattern(99, 4));
            assertThat(to.get(5 + length)).isEqualTo((byte) RawRegion.pattern(99, 5 + length));
        }
    }

    @Test
    void tellsOfAReceive() {
        assertThat(send(200, 300)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        final Completion told = pair.cqB.await();
        assertThat(told.wrId()).isEqualTo(next);
        assertThat(told.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_RECV);
        assertThat(told.byteLen()).isEqualTo(200);
        assertThat(told.srcQp()).isEqualTo(pair.a.qpn);
        assertThat(told.qp()).isEqualTo(pair.b.handle);
        assertThat(to.bytes(0, 200)).isEqualTo(from.bytes(0, 200));
    }

    @Test
    void refusesAMessageThatIsLongerThanTheReceive() {
        assertThat(send(65, 64)).isEqualTo(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR);
        assertThat(pair.cqB.await().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_LEN_ERR);
    }

    @Test
    void refusesAReceiveThatReachesPastItsRegion() {
        assertThat(send(64, SIZE + 1)).isEqualTo(WcStatus.PVRDMA_WC_REM_OP_ERR);
        assertThat(pair.cqB.await().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
    }

    @Test
    void refusesAWritePastTheRegion() {
        assertThat(write(SIZE - 63, 64)).isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void refusesAWriteInFrontOfTheRegion() {
        assertThat(write(-1, 64)).isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void forgetsTheSendersRegion() {
        end(from);
        assertThat(write(0, 64)).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
    }

    @Test
    void forgetsTheTargetOfWrites() {
        end(to);
        assertThat(write(0, 64)).isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void forgetsTheTargetOfSends() {
        pair.b.receive(++next, to.start(), 64, to.lkey);
        end(to);
        assertThat(sendOnly(64)).isEqualTo(WcStatus.PVRDMA_WC_REM_OP_ERR);
    }

    @Test
    void heedsAccessThatWasTakenAway() {
        assertThat(pair.b.modify(QpAttrMask.PVRDMA_QP_ACCESS_FLAGS,
            attr -> attr.qpAccessFlags(AccessFlags.PVRDMA_ACCESS_REMOTE_READ))).isZero();
        assertThat(write(0, 64)).isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void findsNobodyWhereTheQueuePairIsDestroyed() {
        assertThat(pair.b.destroy()).isZero();
        pair.a.send(++next, from.start(), 64, from.lkey);
        assertThat(pair.cqA.poll()).as(pair.driver.device().describe()).isNull();
    }

    @Test
    void findsNobodyWhereTheQueuePairFailed() {
        assertThat(pair.b.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();
        pair.a.send(++next, from.start(), 64, from.lkey);
        assertThat(pair.cqA.poll()).as(pair.driver.device().describe()).isNull();
    }

    @Test
    void waitsForAReceiveAndGoesOn() {
        pair.a.send(70, from.start(), 64, from.lkey);
        assertThat(pair.cqA.poll()).isNull();
        pair.b.receive(71, to.start(), 64, to.lkey);
        assertThat(pair.cqA.await().wrId()).isEqualTo(70);
        assertThat(pair.cqB.await().wrId()).isEqualTo(71);
        assertThat(send(64, 64)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
    }

    @Test
    void losesItsWayWithThePort() {
        pair.driver.device().faults().portDown();
        pair.a.send(++next, from.start(), 64, from.lkey);
        assertThat(pair.cqA.poll()).isNull();
    }
}
