/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.EmulatedFaults;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.PortState;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QueuePair;
import io.rdma4j.verbs.SendOpcode;
import io.rdma4j.verbs.SendRequest;
import io.rdma4j.verbs.SharedReceiveQueue;
import io.rdma4j.verbs.WcStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** Each kind of asynchronous event, raised by what causes it, and the state of its object afterwards. */
class EventKindsTest {
    private static final Duration LONG = Patience.duration();

    @RegisterExtension
    final Devices devices = new Devices();

    private final PvrdmaContext device = devices.open();
    private final Peer near = Peer.rc(device);
    private final Peer far = Peer.rc(devices.open());

    private EmulatedFaults faults() {
        return Devices.emulated(device).faults();
    }

    /** Takes and acknowledges events up to one of this type. */
    private AsyncEvent awaitType(final AsyncEventType type) {
        AsyncEvent event;
        do {
            event = device.awaitAsyncEvent(LONG);
            assertThat(event).as("awaited: %s", type).isNotNull();
            event.acknowledge();
        } while (event.type() != type);
        return event;
    }

    private void assertNoEvent() {
        final AsyncEvent event = device.pollAsyncEvent();
        assertThat(event).as("%s", event).isNull();
    }

    @Test
    void sendQueueDrainedIfThatWasAskedFor() {
        near.connect(far);
        near.qp.modify(QpAttributes.to(QpState.SQD).sqdAsyncNotify(true));
        assertThat(awaitType(AsyncEventType.SQ_DRAINED).element()).isSameAs(near.qp);
        assertThat(near.qp.state()).isEqualTo(QpState.SQD);
        near.qp.modify(QpAttributes.to(QpState.RTS));
        near.qp.modify(QpAttributes.to(QpState.SQD));
        assertNoEvent();
        near.qp.modify(QpAttributes.to(QpState.RTS));
        far.qp.postReceive(1, far.at(0), 8, far.lkey());
        near.qp.postSend(1, near.at(0), 8, near.lkey());
        Completions.awaitSuccess(near.cq);
    }

    /** The send that was begun waits for a receive. */
    @Test
    void sendQueueDrainsUntilItIsDrained() {
        near.connect(far);
        assertThat(near.qp.query().sqDraining()).isFalse();
        near.qp.postSend(1, near.at(0), 8, near.lkey());
        near.qp.modify(QpAttributes.to(QpState.SQD).sqdAsyncNotify(true));
        assertThat(near.qp.query().sqDraining()).isTrue();
        far.qp.postReceive(1, far.at(0), 8, far.lkey());
        awaitType(AsyncEventType.SQ_DRAINED);
        assertThat(near.qp.query().sqDraining()).isFalse();
        Completions.awaitSuccess(near.cq);
    }

    @Test
    void requestWithoutTheRightAtTheQpThatRefusesIt() {
        near.connect(far);
        final SendRequest bad = new SendRequest().opcode(SendOpcode.RDMA_WRITE).sge(far.at(0), 8, far.lkey());
        far.qp.postSend(bad.remote(near.at(0), near.region.rkey() ^ 0x5500));
        assertThat(Completions.await(far.cq, 1).get(0).status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
        assertThat(awaitType(AsyncEventType.QP_ACCESS_ERR).element()).isSameAs(near.qp);
        assertThat(near.qp.state()).isEqualTo(QpState.ERR);
        assertThat(near.qp.query().state()).isEqualTo(QpState.ERR);
    }

    @Test
    void overflowOfACqAndOfAllQpsThatUseIt() {
        final CompletionQueue small = device.createCq(4);
        final QpOptions careless = new QpOptions().cq(small).maxSendWr(64).reserveCq(false);
        final QueuePair other = near.pd.createQp(careless);
        final Peer one = new Peer(device, near.pd, small, careless);
        one.connect(far);
        for (int i = 0; i < 8; i++) {
            far.qp.postReceive(i, far.at(0), 8, far.lkey());
            one.qp.postSend(i, one.at(0), 8, one.lkey());
        }
        assertThat(awaitType(AsyncEventType.CQ_ERR).element()).isSameAs(small);
        final Set<Object> failed = new HashSet<>();
        failed.add(awaitType(AsyncEventType.QP_FATAL).element());
        assertThat(failed).contains(one.qp);
        assertThat(one.qp.state()).isEqualTo(QpState.ERR);
        assertThat(other.isClosed()).isFalse();
        assertThat(near.qp.state()).as("does not use it").isEqualTo(QpState.RESET);
    }

    @Test
    void lastReceiveOfAQpWithASharedQueueTaken() {
        final SharedReceiveQueue srq = near.pd.createSrq(4, 1);
        final Peer shared = new Peer(device, near.pd, device.createCq(512), new QpOptions().srq(srq));
        shared.connect(far);
        shared.qp.modify(QpAttributes.to(QpState.ERR));
        assertThat(awaitType(AsyncEventType.QP_LAST_WQE_REACHED).element()).isSameAs(shared.qp);
    }

    @Test
    void portDownAndUp() {
        faults().portDown();
        AsyncEventTest.assertEvent(device.awaitAsyncEvent(LONG), AsyncEventType.PORT_ERR, device, 1);
        assertThat(device.queryPort(1).state()).isNotEqualTo(PortState.ACTIVE);
        faults().portUp();
        AsyncEventTest.assertEvent(device.awaitAsyncEvent(LONG), AsyncEventType.PORT_ACTIVE, device, 1);
        assertThat(device.queryPort(1).state()).isEqualTo(PortState.ACTIVE);
    }

    @Test
    void gidTableChanged() {
        faults().gidChange();
        final AsyncEvent event = awaitType(AsyncEventType.GID_CHANGE);
        assertThat(event.element()).isSameAs(device);
        assertThat(event.number()).isEqualTo(1);
    }

    @Test
    void endOfTheDevice() {
        near.connect(far);
        faults().fatal();
        assertThat(awaitType(AsyncEventType.DEVICE_FATAL).element()).isSameAs(device);
        assertThat(device.isFailed()).isTrue();
    }

    /** Asked for solicited ones only, an event comes for failures too, and not for others. */
    @Test
    void failedCompletionsWakeWhoAskedForSolicitedOnes() {
        near.connect(far);
        near.qp.postReceive(1, near.at(0), 8, near.lkey());
        near.qp.postReceive(2, near.at(0), 8, near.lkey());
        assertThat(near.cq.requestNotify(true)).isZero();
        far.qp.postSend(1, far.at(0), 8, far.lkey());
        Completions.awaitSuccess(far.cq);
        assertThat(near.cq.awaitEvent(Duration.ofMillis(30))).as("unsolicited").isFalse();
        near.qp.modify(QpAttributes.to(QpState.ERR));
        assertThat(near.cq.awaitEvent(LONG)).as("flushed").isTrue();
        assertThat(Completions.await(near.cq, 2)).extracting(Completions.Copy::status)
            .containsExactly(WcStatus.SUCCESS, WcStatus.WR_FLUSH_ERR);
    }

    @Test
    void aFailedSendWakesWhoAskedForSolicitedOnes() {
        near.connect(far);
        assertThat(near.cq.requestNotify(true)).isZero();
        final SendRequest bad = new SendRequest().opcode(SendOpcode.RDMA_WRITE).sge(near.at(0), 8, near.lkey());
        near.qp.postSend(bad.remote(far.at(0), far.region.rkey() ^ 0x5500));
        assertThat(near.cq.awaitEvent(LONG)).isTrue();
        assertThat(Completions.await(near.cq, 1).get(0).status()).isEqualTo(WcStatus.REM_ACCESS_ERR);
    }
}
