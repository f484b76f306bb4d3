/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static io.rdma4j.hw.pvrdma.cmd.QpAttr.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawEvents.Event;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.WcStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** SQD and SQE: the states in which only the send side stands still. */
class DrainTest {
    private final RawPair pair = RawPair.connected("emulated:drain?wire=none");
    private final RawEvents events = new RawEvents(pair.driver);

    @AfterEach
    void close() {
        pair.close();
    }

    private void post(long wrId) {
        pair.a.post(w -> w.send(wrId, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
    }

    private void drain(boolean tells) {
        assertThat(pair.a.modify(QpAttrMask.PVRDMA_QP_STATE | (tells ? QpAttrMask.PVRDMA_QP_EN_SQD_ASYNC_NOTIFY : 0),
            attr -> attr.set(QP_STATE, QpState.PVRDMA_QPS_SQD).set(EN_SQD_ASYNC_NOTIFY, 1))).isZero();
    }

    private Event drained() {
        return new Event(EventType.PVRDMA_EVENT_SQ_DRAINED, pair.a.handle);
    }

    @Test
    void finishesWhatHasBegunAndBeginsNothingElse() {
        post(1);
        post(2);
        drain(true);
        post(3);
        assertThat(pair.a.query().get(SQ_DRAINING)).isEqualTo(1);
        assertThat(events.poll()).isNull();

        pair.b.receive(11, new long[0][]);
        pair.b.receive(12, new long[0][]);
        pair.b.receive(13, new long[0][]);

        assertThat(pair.cqA.poll().wrId()).isEqualTo(1);
        assertThat(pair.cqA.poll()).isNull();
        assertThat(events.poll()).isEqualTo(drained());
        assertThat(events.poll()).isNull();
        assertThat(pair.a.query().get(SQ_DRAINING)).isZero();
        assertThat(pair.a.query().get(QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_SQD);

        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_RTS)).isZero();
        assertThat(pair.cqA.poll().wrId()).isEqualTo(2);
        assertThat(pair.cqA.poll().wrId()).isEqualTo(3);
        assertThat(events.poll()).isNull();
    }

    @Test
    void tellsOnlyWhoAskedWithThatStep() {
        drain(true);
        assertThat(events.poll()).isEqualTo(drained());
        pair.a.modifyState(QpState.PVRDMA_QPS_RTS);
        drain(false);
        assertThat(events.poll()).isNull();
        pair.a.modifyState(QpState.PVRDMA_QPS_RTS);
        drain(true);
        assertThat(events.poll()).isEqualTo(drained());
        drain(false);
        assertThat(events.poll()).as("from SQD to SQD").isNull();
    }

    @Test
    void finishesByTimersToo() {
        pair.b.modifyState(QpState.PVRDMA_QPS_RESET);
        post(1);
        drain(true);
        assertThat(pair.cqA.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        assertThat(pair.a.query().get(QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(events.poll()).as("a failure is no drain").isNull();
    }

    @Test
    void goesOnWithoutAnEventWhenItReturnsBeforeItIsDrained() {
        post(1);
        drain(true);
        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_RTS)).isZero();
        assertThat(pair.a.query().get(SQ_DRAINING)).isZero();
        post(2);
        pair.b.receive(11, new long[0][]);
        pair.b.receive(12, new long[0][]);
        assertThat(pair.cqA.poll().wrId()).isEqualTo(1);
        assertThat(pair.cqA.poll().wrId()).isEqualTo(2);
        assertThat(events.poll()).isNull();
    }

    @Test
    void flushesWhatHasBegunAndWhatHasNotWhenItFails() {
        post(1);
        post(2);
        drain(true);
        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();
        for (int i = 1; i <= 2; i++) {
            assertThat(pair.cqA.poll()).matches(c -> c.status() == WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
        }
        pair.b.receive(11, new long[0][]);
        assertThat(pair.cqA.poll()).isNull();
        assertThat(pair.cqB.poll()).isNull();
        assertThat(events.poll()).isNull();
        assertThat(pair.a.query().get(SQ_DRAINING)).isZero();
    }

    @Test
    void receivesWhileItsSendsStand() {
        drain(false);
        pair.a.receive(5, new long[0][]);
        pair.b.post(w -> w.send(6, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(pair.cqA.poll().wrId()).isEqualTo(5);
        assertThat(pair.cqB.poll().wrId()).isEqualTo(6);
    }

    @Test
    void takesAttributesWhileItIsDrained() {
        drain(false);
        assertThat(pair.a.modify(QpAttrMask.PVRDMA_QP_RNR_RETRY, attr -> attr.set(RNR_RETRY, 0))).isZero();
        pair.a.modifyState(QpState.PVRDMA_QPS_RTS);
        post(1);
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_RNR_RETRY_EXC_ERR);
    }

    @Test
    void flushesDatagramsPostedAfterOneThatFailed() {
        try (RawPair ud = RawPair.datagrams("emulated:sqe")) {
            final byte[] gid = ud.driver.gid();
            ud.a.post(w -> w.send(1, PVRDMA_WR_RDMA_WRITE, 0));
            assertThat(ud.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
            for (int i = 2; i < 5; i++) {
                final int id = i;
                ud.a.post(w -> w.send(id, PVRDMA_WR_SEND, 0).datagram(ud.driver.pd, ud.b.qpn, RawQp.QKEY, gid));
                assertThat(ud.cqA.poll()).matches(c -> c.wrId() == id
                    && c.status() == WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
            }
            assertThat(ud.cqB.poll()).isNull();
            assertThat(ud.a.modifyState(QpState.PVRDMA_QPS_SQD)).as("from SQE only to RTS").isEqualTo(-22);
            assertThat(ud.a.modifyState(QpState.PVRDMA_QPS_RTS)).isZero();
            assertThat(ud.cqA.poll()).isNull();
            assertThat(new RawEvents(ud.driver).poll()).isNull();
        }
    }

    @Test
    void neverBringsAConnectionToSqe() {
        pair.a.post(w -> w.send(1, 99, 0));
        assertThat(pair.a.query().get(QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_SQE)).isEqualTo(-22);
    }
}
