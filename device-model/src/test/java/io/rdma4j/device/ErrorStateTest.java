/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_INLINE;
import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static io.rdma4j.hw.pvrdma.cmd.QpAttr.*;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.testing.Patience;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What breaks a connection, with which status on either side, and that every request completes exactly once. */
class ErrorStateTest {
    private final RawPair pair = RawPair.connected("emulated:errors");

    @AfterEach
    void close() {
        pair.close();
    }

    private static List<Completion> drain(RawCq cq) {
        final List<Completion> all = new ArrayList<>();
        for (Completion c = cq.poll(); c != null; c = cq.poll()) {
            all.add(c);
        }
        return all;
    }

    private int sendStatus(long address, int length, int lkey) {
        pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, 0).sge(address, length, lkey));
        return pair.cqA.await().status();
    }

    private void expectBothInError() {
        assertThat(pair.a.query().get(QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.b.query().get(QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
    }

    @Test
    void failsBothEndsWhenTheMessageIsLongerThanTheReceive() {
        pair.b.receive(11, pair.to.start(), 99, pair.to.lkey);
        pair.b.receive(12, pair.to.start(), 99, pair.to.lkey);
        pair.b.write(w -> w.send(13, PVRDMA_WR_SEND, 0));
        pair.a.receive(3, new long[0][]);
        pair.a.write(w -> w.send(1, PVRDMA_WR_SEND, 0).sge(pair.from.start(), 100, pair.from.lkey));
        pair.a.write(w -> w.send(2, PVRDMA_WR_SEND, 0));

        pair.a.ringSend();

        assertThat(drain(pair.cqA)).extracting(Completion::wrId).containsExactly(1L, 2L, 3L);
        final List<Completion> atB = drain(pair.cqB);
        assertThat(atB).extracting(Completion::wrId).containsExactly(11L, 12L, 13L);
        assertThat(atB).extracting(Completion::status).containsExactly(WcStatus.PVRDMA_WC_LOC_LEN_ERR,
            WcStatus.PVRDMA_WC_WR_FLUSH_ERR, WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
        expectBothInError();
        assertThat(pair.to.get(0)).isZero();
    }

    @Test
    void tellsTheSenderThatItsRequestWasInvalid() {
        pair.b.receive(11, pair.to.start(), 99, pair.to.lkey);
        assertThat(sendStatus(pair.from.start(), 100, pair.from.lkey)).isEqualTo(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR);
    }

    /** A piece of memory, given the pair that is to send it. */
    private interface Piece {
        long[] of(RawPair pair);
    }

    static List<Piece> piecesThatAreNotTheSenders() {
        return List.of(
            p -> new long[] {p.from.start() - 1, 10, p.from.lkey},
            p -> new long[] {p.from.start() + RawPair.SIZE - 9, 10, p.from.lkey},
            p -> new long[] {p.from.start(), 0xffff_ffffL, p.from.lkey},
            p -> new long[] {-5, 10, p.from.lkey},
            p -> new long[] {p.from.start(), 10, p.from.lkey ^ 0x8000_0000},
            p -> new long[] {p.from.start(), 10, p.from.rkey},
            p -> new long[] {p.from.start(), 10, 0},
            p -> {
                final RawRegion foreign = p.driver.register(p.driver.createPd(), 100, 0, 0);
                return new long[] {foreign.start(), 10, foreign.lkey};
            });
    }

    @ParameterizedTest
    @MethodSource("piecesThatAreNotTheSenders")
    void refusesLocalMemoryThatIsNotTheSenders(Piece piece) {
        final long[] sge = piece.of(pair);
        assertThat(sendStatus(sge[0], (int) sge[1], (int) sge[2])).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        assertThat(pair.count(Counter.LOCAL_PROTECTION)).isEqualTo(1);
        assertThat(pair.a.query().get(QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.b.query().get(QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
    }

    @Test
    void refusesAReceiveIntoMemoryWithoutLocalWrite() {
        final RawRegion readOnly = pair.driver.register(100, 0);
        pair.b.receive(7, readOnly.start(), 100, readOnly.lkey);
        assertThat(sendStatus(pair.from.start(), 10, pair.from.lkey)).isEqualTo(WcStatus.PVRDMA_WC_REM_OP_ERR);
        assertThat(pair.cqB.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        expectBothInError();
    }

    @ParameterizedTest
    @ValueSource(ints = {WrOpcode.PVRDMA_WR_LSO, WrOpcode.PVRDMA_WR_REG_SIG_MR, WrOpcode.PVRDMA_WR_ERROR, 99, -1})
    void refusesOperationsThatItDoesNotOffer(int opcode) {
        pair.a.post(w -> w.send(1, opcode, 0));
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, 5, Integer.MAX_VALUE})
    void refusesANumberOfElementsThatNoRequestHas(int count) {
        pair.a.post(w -> {
            w.send(1, PVRDMA_WR_SEND, 0);
            SqWqe.numSge(w.page(), w.at(), count);
        });
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
        assertThat(pair.count(Counter.BAD_WQES)).isEqualTo(1);
        assertThat(pair.count(Counter.WOULD_HANG_QEMU)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {WrOpcode.PVRDMA_WR_LOCAL_INV, WrOpcode.PVRDMA_WR_FAST_REG_MR, WrOpcode.PVRDMA_WR_BIND_MW})
    void refusesToChangeKeysWithElements(int opcode) {
        pair.a.post(w -> w.send(1, opcode, 0).sge(pair.from.start(), 8, pair.from.lkey));
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
        assertThat(pair.count(Counter.BAD_WQES)).isEqualTo(1);
    }

    @Test
    void refusesInlineData() {
        pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_INLINE));
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
    }

    @Test
    void flushesWhatIsPostedAndWhatComesLater() {
        pair.a.receive(1, new long[0][]);
        pair.a.receive(2, new long[0][]);
        pair.a.write(w -> w.send(3, PVRDMA_WR_SEND, 0));

        pair.a.modifyState(QpState.PVRDMA_QPS_ERR);

        assertThat(drain(pair.cqA)).extracting(Completion::wrId).containsExactlyInAnyOrder(1L, 2L, 3L);
        pair.a.post(w -> w.send(4, PVRDMA_WR_SEND, 0));
        pair.a.receive(5, new long[0][]);
        final List<Completion> later = drain(pair.cqA);
        assertThat(later).extracting(Completion::wrId).containsExactly(4L, 5L);
        assertThat(later).extracting(Completion::status).containsOnly(WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
        pair.a.modifyState(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.cqA.poll()).isNull();
    }

    @Test
    void flushesAStalledSendOnce() {
        pair.a.post(w -> w.send(3, PVRDMA_WR_SEND, 0));
        pair.a.modifyState(QpState.PVRDMA_QPS_ERR);
        pair.b.receive(1, new long[0][]);
        assertThat(drain(pair.cqA)).extracting(Completion::wrId).containsExactly(3L);
        assertThat(pair.cqB.poll()).isNull();
    }

    @Test
    void failsAStalledSendWhenItsReceiverFails() {
        pair.a.post(w -> w.send(3, PVRDMA_WR_SEND, 0));
        pair.b.modifyState(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.cqA.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
    }

    @Test
    void failsAStalledSendWhenItsReceiverIsDestroyed() {
        pair.a.post(w -> w.send(3, PVRDMA_WR_SEND, 0));
        assertThat(pair.b.destroy()).isZero();
        assertThat(pair.cqA.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
    }

    @Test
    void findsNobodyBehindAQueuePairThatIsGone() {
        pair.b.destroy();
        assertThat(sendStatus(pair.from.start(), 1, pair.from.lkey)).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        assertThat(pair.count(Counter.NO_PEER)).as("the first try and one more").isEqualTo(2);
    }

    @Test
    void completesNothingOfAQueuePairThatIsDestroyed() {
        pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        pair.a.receive(2, new long[0][]);
        pair.b.post(w -> w.send(3, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(pair.cqA.poll().wrId()).as("what was over before stays in the queue").isEqualTo(2);
        pair.a.receive(4, new long[0][]);
        assertThat(pair.a.destroy()).isZero();

        pair.b.receive(5, new long[0][]);
        pair.b.post(w -> w.send(6, PVRDMA_WR_SEND, 0));
        pair.a.ringSend();
        pair.a.ringReceive();
        pair.a.receive(7, new long[0][]);

        assertThat(pair.count(Counter.BAD_DOORBELLS)).isEqualTo(3);
        assertThat(pair.cqB.poll().wrId()).isEqualTo(3);
        assertThat(pair.cqB.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        assertThat(pair.cqA.poll()).isNull();
        assertThat(pair.a.destroy()).isEqualTo(-22);
        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_ERR)).isEqualTo(-22);
    }

    @Test
    void givesItsNumberToNobodyElseSoon() {
        final int old = pair.a.qpn;
        pair.a.destroy();
        pair.b.post(w -> w.send(6, PVRDMA_WR_SEND, 0));
        for (int i = 0; i < 100; i++) {
            final RawQp next = pair.driver.createQp(RawQp.with().cq(pair.cqA)).connect(pair.b.qpn, pair.driver.gid());
            next.receive(1, new long[0][]);
            assertThat(next.qpn).isNotEqualTo(old);
            next.destroy();
        }
        assertThat(pair.cqB.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        assertThat(pair.cqA.poll()).isNull();
    }

    @Test
    void refusesAStrangerOnAConnection() {
        final RawQp stranger = pair.driver.createQp(RawQp.with().cq(pair.cqA));
        stranger.connect(pair.b.qpn, pair.driver.gid());
        pair.b.receive(1, new long[0][]);
        stranger.post(w -> w.send(3, PVRDMA_WR_SEND, 0));
        assertThat(pair.cqA.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        assertThat(pair.cqB.poll()).isNull();
    }

    @Test
    void refusesMessagesOutOfSequence() {
        try (RawPair fresh = RawPair.unconnected("emulated:psn")) {
            fresh.b.connect(fresh.a.qpn, fresh.driver.gid());
            fresh.a.toInit();
            fresh.a.toRtr(fresh.b.qpn, fresh.driver.gid());
            assertThat(fresh.a.modify(RawQp.RC_RTS, attr -> {
                fresh.a.fillRts(attr);
                attr.set(SQ_PSN, 0x11);
            })).isZero();
            fresh.b.receive(1, new long[0][]);
            fresh.a.post(w -> w.send(3, PVRDMA_WR_SEND, 0));
            assertThat(fresh.cqA.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
            assertThat(fresh.count(Counter.PSN_MISMATCH)).isEqualTo(2);
        }
    }

    @Test
    void countsSequenceNumbersByPackets() {
        pair.b.receive(1, pair.to.start(), 10_000, pair.to.lkey);
        pair.a.send(1, pair.from.start(), 2049, pair.from.lkey);
        assertThat(pair.a.query().get(SQ_PSN)).isEqualTo(0x13);
        assertThat(pair.b.query().get(RQ_PSN)).isEqualTo(0x13);
    }

    @Test
    void givesUpWaitingForAReceiverAfterTheRetries() {
        try (RawPair fresh = RawPair.unconnected("emulated:rnr?wire=none")) {
            fresh.a.rnrRetry = 2;
            fresh.b.minRnrTimer = 14;
            RawQp.connect(fresh.a, fresh.b);
            final long before = System.nanoTime();
            fresh.a.post(w -> w.send(3, PVRDMA_WR_SEND, 0));
            assertThat(fresh.cqA.poll()).isNull();

            assertThat(fresh.cqA.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RNR_RETRY_EXC_ERR);
            assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(TimeUnit.MICROSECONDS.toNanos(2 * 1280));
        }
    }

    @Test
    void saysWhyARequestFailedAndNothingOfThoseBehindIt() {
        pair.a.write(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE, 0).rdma(pair.to.start(), pair.to.rkey ^ 0x100)
            .sge(pair.from.start(), 8, pair.from.lkey));
        pair.a.write(w -> w.send(2, PVRDMA_WR_SEND, 0));
        pair.a.ringSend();
        final Completion failed = pair.cqA.poll();
        assertThat(failed.status()).isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
        assertThat(failed.vendorErr()).isEqualTo(Ack.NAK_REMOTE_ACCESS);
        final Completion behind = pair.cqA.poll();
        assertThat(behind.status()).isEqualTo(WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
        assertThat(behind.vendorErr()).isZero();
        assertThat(pair.driver.device().describe()).contains(" completed 2, 0 the short way");
    }

    @Test
    void givesUpWhileSomebodyWaitsForAnInterrupt() {
        try (RawPair fresh = RawPair.unconnected("emulated:rnrwait")) {
            fresh.a.rnrRetry = 1;
            fresh.b.minRnrTimer = 18;
            RawQp.connect(fresh.a, fresh.b);
            fresh.cqA.arm();
            fresh.a.post(w -> w.send(3, PVRDMA_WR_SEND, 0));
            assertThat(fresh.driver.pci.interrupts().vector(2).await(Patience.nanos())).isEqualTo(1);
            assertThat(fresh.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_RNR_RETRY_EXC_ERR);
        }
    }

    @Test
    void doesNotWaitAtAllWithoutRetries() {
        try (RawPair fresh = RawPair.unconnected("emulated:rnr0")) {
            fresh.a.rnrRetry = 0;
            RawQp.connect(fresh.a, fresh.b);
            fresh.a.post(w -> w.send(3, PVRDMA_WR_SEND, 0));
            assertThat(fresh.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_RNR_RETRY_EXC_ERR);
        }
    }

    @Test
    void holdsSendsBackWhileDrained() {
        final RawEvents events = new RawEvents(pair.driver);
        pair.b.receive(1, new long[0][]);
        assertThat(pair.a.modify(QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_EN_SQD_ASYNC_NOTIFY,
            attr -> attr.set(QP_STATE, QpState.PVRDMA_QPS_SQD).set(EN_SQD_ASYNC_NOTIFY, 1))).isZero();
        assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_SQ_DRAINED, pair.a.handle));
        pair.a.post(w -> w.send(3, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(pair.cqA.poll()).isNull();

        assertThat(pair.a.modifyState(QpState.PVRDMA_QPS_RTS)).isZero();

        assertThat(pair.cqA.poll().wrId()).isEqualTo(3);
    }

    @Test
    void worksAgainAfterAReset() {
        pair.a.modifyState(QpState.PVRDMA_QPS_ERR);
        pair.a.post(w -> w.send(3, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        pair.cqA.poll();
        for (RawQp qp : List.of(pair.a, pair.b)) {
            assertThat(qp.modifyState(QpState.PVRDMA_QPS_RESET)).isZero();
            qp.zeroIndices();
        }
        RawQp.connect(pair.a, pair.b);
        pair.b.receive(1, new long[0][]);
        pair.a.post(w -> w.send(4, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(pair.cqA.poll().status()).isZero();
        assertThat(pair.cqB.poll().wrId()).isEqualTo(1);
    }

    @Test
    void forgetsItsSequenceNumbersWithAReset() {
        pair.b.receive(1, new long[0][]);
        pair.a.post(w -> w.send(3, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(pair.cqA.poll().status()).isZero();
        for (RawQp qp : List.of(pair.a, pair.b)) {
            assertThat(qp.query().get(SQ_PSN)).isNotZero();
            assertThat(qp.query().get(RQ_PSN)).isNotZero();
            assertThat(qp.modifyState(QpState.PVRDMA_QPS_RESET)).isZero();
            assertThat(qp.query().get(SQ_PSN)).isZero();
            assertThat(qp.query().get(RQ_PSN)).isZero();
        }
    }

    @Test
    void executesNothingOutsideOfItsStates() {
        try (RawPair fresh = RawPair.unconnected("emulated:states")) {
            fresh.a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
            fresh.a.toInit();
            fresh.a.ringSend();
            fresh.a.toRtr(fresh.b.qpn, fresh.driver.gid());
            fresh.a.ringSend();
            assertThat(fresh.cqA.poll()).isNull();
            fresh.b.connect(fresh.a.qpn, fresh.driver.gid());
            fresh.b.receive(8, new long[0][]);

            fresh.a.toRts();

            assertThat(fresh.cqA.poll().wrId()).isEqualTo(1);
        }
    }

    @Test
    void faultsOnARegionThatWasUnmapped() {
        pair.from.memory(1).close();
        pair.b.receive(1, pair.to.start(), 100, pair.to.lkey);
        assertThat(sendStatus(pair.from.start(), 10, pair.from.lkey)).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        assertThat(pair.count(Counter.DMA_FAULTS)).isEqualTo(1);
    }

    @Test
    void breaksDownWhenARingIsUnmapped() {
        final RawEvents events = new RawEvents(pair.driver);
        pair.a.ring.memory(0).close();
        pair.a.post(w -> w.send(3, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_QP_FATAL, pair.a.handle));
        assertThat(pair.driver.device().describe()).contains("(unmapped)");
    }

    @Test
    void refusesTheKeyOfARegionThatIsGone() {
        assertThat(pair.driver.destroy(Command.DESTROY_MR, pair.from.handle)).isZero();
        assertThat(sendStatus(pair.from.start(), 10, pair.from.lkey)).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
    }
}
