/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.device.raw.RawWirePeer.FIRST_PSN;
import static io.rdma4j.device.raw.RawWirePeer.MTU;
import static io.rdma4j.device.raw.RawWirePeer.QPN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.link.Ack;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawWirePeer;
import io.rdma4j.device.raw.RawWirePeer.Came;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpAttrMask;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.SendFlags;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.hw.roce.Aeth;
import io.rdma4j.hw.roce.Opcode;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that go out as packets, in each state of their queue pair. Nobody serves the device but the test. */
@Timeout(120)
class RequesterOverWireTest {
    /** 2.4 hours. */
    private static final int LONGEST = 31;
    private static final Duration OVER = Duration.ofHours(3);

    private final RawWirePeer peer = RawWirePeer.served();

    RequesterOverWireTest() {
        peer.renew(RawQp.with().cq(peer.cq));
        peer.qp.timeout = LONGEST;
        peer.qp.retryCnt = 3;
        peer.connect();
    }

    @AfterEach
    void close() {
        peer.close();
    }

    private void send(long wrId) {
        peer.qp.send(wrId, peer.region.start(), 40, peer.region.lkey);
    }

    private void pass(Duration time) {
        peer.driver.device().faults().passTime(time);
    }

    private void step(int state) {
        assertThat(peer.qp.modifyState(state)).isZero();
    }

    private void expect(long wrId, int status) {
        final RawCq.Completion completion = peer.cq.poll();
        assertThat(completion).as(peer.driver.device()::describe).isNotNull();
        assertThat(completion.wrId()).isEqualTo(wrId);
        assertThat(WcStatus.NAMES.of(completion.status())).isEqualTo(WcStatus.NAMES.of(status));
    }

    @Test
    void aRefusalIsTheVendorsErrorOfItsCompletionAlone() {
        send(1);
        send(2);
        assertThat(peer.serve()).hasSize(2);
        peer.acknowledge(FIRST_PSN, Aeth.NAK_REMOTE_ACCESS);
        peer.serve();
        final RawCq.Completion refused = peer.cq.poll();
        assertThat(refused.status()).isEqualTo(WcStatus.PVRDMA_WC_REM_ACCESS_ERR);
        assertThat(refused.vendorErr()).isEqualTo(Ack.NAK_REMOTE_ACCESS);
        final RawCq.Completion flushed = peer.cq.poll();
        assertThat(flushed.status()).isEqualTo(WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
        assertThat(flushed.vendorErr()).isZero();
    }

    /** It has begun, so it goes on to its end; the time of the next try is known, and it is later. */
    @Test
    void whatWasLostIsSentAgainInSqd() {
        send(1);
        assertThat(peer.serve()).hasSize(1);
        step(QpState.PVRDMA_QPS_SQD);
        assertThat(peer.driver.device().describe()).contains("1 sends wait").doesNotContain("the next for 0 us");
        pass(OVER);

        assertThat(peer.serve()).extracting(Came::psn).containsExactly(FIRST_PSN);

        assertThat(peer.driver.device().describe()).contains("1 sends wait").doesNotContain("the next for 0 us");
        peer.acknowledge(FIRST_PSN, Aeth.ACK);
        peer.serve();
        expect(1, WcStatus.PVRDMA_WC_SUCCESS);
    }

    /** Who rings a doorbell has not looked whether the answer is there, also if the time was up once. */
    @Test
    void aDoorbellSendsNothingAgainWhileTheAnswerLiesThere() {
        send(1);
        peer.serve();
        pass(OVER);
        assertThat(peer.serve()).as("the second time").hasSize(1);
        peer.acknowledge(FIRST_PSN, Aeth.ACK);
        peer.serve();
        expect(1, WcStatus.PVRDMA_WC_SUCCESS);
        send(2);
        peer.came();
        pass(OVER.multipliedBy(4));
        peer.acknowledge(FIRST_PSN + 1, Aeth.ACK);

        send(3);

        assertThat(peer.came()).extracting(Came::psn).containsExactly(FIRST_PSN + 2);
        peer.serve();
        expect(2, WcStatus.PVRDMA_WC_SUCCESS);
    }

    /** No packet of it has gone: so nothing is under way any more when there is a way, and SQD is drained. */
    @Test
    void whatWaitedForARouteHasNotBegunWhenThereIsOne() {
        final RawEvents events = new RawEvents(peer.driver);
        peer.driver.device().faults().portDown();
        assertThat(events.poll().type()).isEqualTo(EventType.PVRDMA_EVENT_PORT_ERR);
        send(1);
        assertThat(peer.serve()).isEmpty();
        assertThat(peer.driver.device().describe()).contains("1 sends wait").doesNotContain("the next for 0 us");
        assertThat(peer.qp.modify(QpAttrMask.PVRDMA_QP_STATE | QpAttrMask.PVRDMA_QP_EN_SQD_ASYNC_NOTIFY,
            attr -> attr.set(QpAttr.QP_STATE, QpState.PVRDMA_QPS_SQD).set(QpAttr.EN_SQD_ASYNC_NOTIFY, 1))).isZero();
        assertThat(events.poll()).isNull();

        peer.driver.device().faults().portUp();
        assertThat(peer.serve()).isEmpty();

        assertThat(events.poll().type()).isEqualTo(EventType.PVRDMA_EVENT_PORT_ACTIVE);
        assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_SQ_DRAINED, peer.qp.handle));
        step(QpState.PVRDMA_QPS_RTS);
        assertThat(peer.serve()).extracting(Came::psn).containsExactly(FIRST_PSN);
        peer.acknowledge(FIRST_PSN, Aeth.ACK);
        peer.serve();
        expect(1, WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(peer.qp.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
    }

    /** What it says is of requests that cannot be read any more. */
    @Test
    void anAnswerToAQueuePairWithoutItsRingsChangesNothing() {
        send(1);
        peer.serve();
        peer.qp.ring.memory(0).close();

        peer.acknowledge(FIRST_PSN, Aeth.ACK);
        peer.serve();

        assertThat(peer.cq.poll()).isNull();
        assertThat(peer.driver.device().describe()).contains("(unmapped) completed 0,");
        assertThat(peer.driver.device().counters().get(Counter.INTERNAL_ERRORS)).isZero();
    }

    @Test
    void datagramsAreNumberedFromTheFirstNumberOn() {
        final RawQp sender = peer.driver.createQp(RawQp.with().ud().cq(peer.cq));
        sender.connect(0, peer.gid());
        for (int i = 0; i < 3; i++) {
            sender.post(w -> w.send(1, WrOpcode.PVRDMA_WR_SEND, SendFlags.PVRDMA_SEND_SIGNALED)
                .datagram(peer.driver.pd, QPN, RawQp.QKEY, peer.gid()).sge(peer.region.start(), 40, peer.region.lkey));
        }
        assertThat(peer.serve()).extracting(Came::opcode, Came::psn).containsExactly(
            tuple(Opcode.UD | Opcode.SEND_ONLY, FIRST_PSN), tuple(Opcode.UD | Opcode.SEND_ONLY, FIRST_PSN + 1),
            tuple(Opcode.UD | Opcode.SEND_ONLY, FIRST_PSN + 2));
        assertThat(sender.query().get(QpAttr.SQ_PSN)).isEqualTo(FIRST_PSN + 3);
    }

    /** Who goes on from a number that the peer has taken would have it take the next message for a repeat. */
    @Test
    void aNumberThatWasAcknowledgedIsNotUsedAgain() {
        final RawRegion gone = peer.driver.registerInOne(MTU, RawPair.ALL);
        send(1);
        send(2);
        peer.qp.send(3, gone.start(), 40, gone.lkey);
        assertThat(peer.serve()).hasSize(3);
        pass(OVER);
        assertThat(peer.serve()).as("the second time").hasSize(3);
        assertThat(peer.driver.destroy(Command.DESTROY_MR, gone.handle)).isZero();
        // The peer has taken the first one, and had no receive for the second one; then one for its copy.
        peer.acknowledge(FIRST_PSN, Aeth.ACK);
        peer.acknowledge(FIRST_PSN + 1, Aeth.RNR_NAK);
        peer.acknowledge(FIRST_PSN + 1, Aeth.ACK);
        peer.serve();
        for (final int status : new int[] {0, 0, WcStatus.PVRDMA_WC_LOC_PROT_ERR}) {
            assertThat(peer.cq.poll().status()).isEqualTo(status);
        }
        assertThat(peer.qp.query().get(QpAttr.SQ_PSN)).isEqualTo(FIRST_PSN + 3);
    }
}
