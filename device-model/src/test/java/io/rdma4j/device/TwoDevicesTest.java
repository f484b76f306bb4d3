/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.DestroyBindRequest;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.testing.Patience;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Devices of one JVM reach each other by GID, and only so. Nobody but the test looks after them. */
class TwoDevicesTest {
    private final RawDriver left = RawDriver.ready("emulated:west?wire=none");
    private final RawDriver right = RawDriver.ready("emulated:east?version=17&wire=none");
    private final RawCq leftCq = left.createCq(16);
    private final RawCq rightCq = right.createCq(16);
    private final RawQp a = left.createQp(RawQp.with().cq(leftCq));
    private final RawQp b = right.createQp(RawQp.with().cq(rightCq));

    @AfterEach
    void close() {
        left.close();
        right.close();
    }

    @Test
    void exchangeDatagrams() {
        final RawQp from = left.createQp(RawQp.with().ud().cq(leftCq));
        final RawQp to = right.createQp(RawQp.with().ud().cq(rightCq));
        from.connect(0, left.gid());
        to.connect(0, right.gid());
        final RawRegion memory = right.register(100, RawPair.ALL);
        to.receive(1, memory.start(), 100, memory.lkey);
        from.post(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED)
            .datagram(left.pd, to.qpn, RawQp.QKEY, right.gid()));
        assertThat(rightCq.poll().srcQp()).isEqualTo(from.qpn);
        assertThat(memory.bytes(8, 16)).isEqualTo(left.gid());
        assertThat(memory.bytes(24, 16)).isEqualTo(right.gid());
    }

    @Test
    void exchangeMessages() {
        RawQp.connect(a, b);
        final RawRegion from = left.register(5000, 0);
        final RawRegion to = right.register(5000, RawPair.ALL);
        from.fill(8);
        b.receive(1, to.start(), 5000, to.lkey);
        a.send(2, from.start(), 5000, from.lkey);
        assertThat(rightCq.poll().wrId()).isEqualTo(1);
        assertThat(leftCq.poll().status()).isZero();
        assertThat(to.bytes(0, 5000)).isEqualTo(from.bytes(0, 5000));
    }

    @Test
    void knowNothingOfEachOthersMemoryKeysAndHandles() {
        final RawRegion theirs = right.register(100, RawPair.ALL);
        RawQp.connect(a, b);
        a.send(2, theirs.start(), 10, theirs.lkey);
        assertThat(leftCq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_PROT_ERR);
        assertThat(left.destroy(Command.DESTROY_MR, theirs.handle)).isEqualTo(-22);
    }

    /** The left one's request waits until the right one's command and doorbell let it go on. */
    @Test
    void aFaultOfOneIsNotToldAsTheOthersWhoseCommandOrDoorbellItWas() {
        a.connect(b.qpn, right.gid());
        b.toInit();
        final RawRegion from = left.register(64, 0);
        final RawRegion to = right.register(64, RawPair.ALL);
        b.receive(1, to.start(), 64, to.lkey);
        final AtomicBoolean fails = new AtomicBoolean(true);
        left.onInterrupt(vector -> {
            if (fails.get()) {
                throw new IllegalStateException("of the left one");
            }
        });
        left.uar.writeInt(Uar.CQ_OFFSET, leftCq.handle | Uar.CQ_ARM);
        a.send(2, from.start(), 64, from.lkey);
        assertThat(b.toRtr(a.qpn, left.gid())).isZero();
        assertThat(rightCq.poll().wrId()).isEqualTo(1);
        assertThat(left.device().counters().get(Counter.INTERNAL_ERRORS)).isPositive();
        assertThat(right.device().counters().get(Counter.INTERNAL_ERRORS)).isZero();
        fails.set(false);
        assertThat(a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);

        final RawQp c = left.createQp(RawQp.with().cq(leftCq));
        final RawQp d = right.createQp(RawQp.with().cq(rightCq));
        RawQp.connect(c, d);
        final int events = right.async.state().getInt(RingState.RX_PROD_TAIL_OFFSET);
        fails.set(true);
        left.uar.writeInt(Uar.CQ_OFFSET, leftCq.handle | Uar.CQ_ARM);
        c.send(3, from.start(), 64, from.lkey);
        d.receive(4, to.start(), 64, to.lkey);
        assertThat(rightCq.poll().wrId()).isEqualTo(4);
        assertThat(right.device().counters().get(Counter.INTERNAL_ERRORS)).isZero();
        assertThat(right.async.state().getInt(RingState.RX_PROD_TAIL_OFFSET)).isEqualTo(events);
    }

    @Test
    void losesAPeerThatCloses() {
        RawQp.connect(a, b);
        a.post(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        right.close();
        assertThat(leftCq.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
    }

    @Test
    void losesAPeerThatIsPulledOut() {
        RawQp.connect(a, b);
        right.device().faults().remove();
        a.post(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(leftCq.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        assertThat(right.registers.readInt(0)).isEqualTo(-1);
        assertThat(right.pci.config().read(0, 4)).isEqualTo(-1);
        right.uar.writeInt(0, 0);
    }

    @Test
    void losesAPeerThatUnbindsItsGid() {
        RawQp.connect(a, b);
        b.receive(1, new long[0][]);
        a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(leftCq.poll().status()).isZero();
        right.unbind(0, right.gid());
        a.post(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(leftCq.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
    }

    @Test
    void keepAGidThatStandsTwiceUntilTheLastOneGoes() {
        final byte[] gid = right.gid();
        final byte[] other = gid.clone();
        other[0] ^= 1;
        final byte[] another = gid.clone();
        another[15] ^= 1;
        right.bind(3, gid, 1);
        for (final byte[] wrong : new byte[][] {other, another}) {
            assertThat(right.run(Command.DESTROY_BIND, x -> new DestroyBindRequest().wrap(x, 0)
                .set(DestroyBindRequest.INDEX, 3).set(DestroyBindRequest.DEST_GID, wrong))).isEqualTo(-22);
        }
        RawQp.connect(a, b);
        right.unbind(3, gid);
        b.receive(1, new long[0][]);
        a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(leftCq.poll().status()).isZero();
        right.unbind(0, gid);
        a.post(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(leftCq.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
    }

    /** Told of the interrupts of a device, which it looks after when the test says so. */
    private static final class Guest extends LookedAfter {
        final List<Thread> told = new ArrayList<>();
        Thread bystander;

        @Override
        public void message(int vector) {
            told.add(Thread.currentThread());
            if (bystander != null && told.size() == 1) {
                bystander.start();
                try {
                    Patience.join(bystander);
                } catch (final InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    /** What a guest's machine has a queue send costs that machine's thread, not whoever made it possible. */
    private void leavesToItsOwnThread(Runnable event) {
        final Guest guest = new Guest();
        left.device().interruptsTo(guest);
        a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        guest.wanted = false;
        event.run();
        assertThat(leftCq.isEmpty()).isTrue();
        assertThat(guest.wanted).isTrue();
        left.device().service();
        assertThat(leftCq.poll().status()).isZero();
    }

    @Test
    void aReceiveLeavesWhatAGuestSendsToItsOwnThread() {
        RawQp.connect(a, b);
        leavesToItsOwnThread(() -> b.receive(1, new long[0][]));
    }

    @Test
    void aPeerThatIsReadyLeavesWhatAGuestSendsToItsOwnThread() {
        a.timeout = 0;
        a.connect(b.qpn, right.gid());
        b.toInit();
        b.receive(1, new long[0][]);
        leavesToItsOwnThread(() -> b.toRtr(a.qpn, left.gid()));
    }

    @Test
    void aGidLeavesWhatAGuestSendsToItsOwnThread() {
        a.timeout = 0;
        RawQp.connect(a, b);
        right.unbind(0, right.gid());
        b.receive(1, new long[0][]);
        leavesToItsOwnThread(() -> right.bind(0, right.gid(), 1));
    }

    /** Two have waited too long; while the first ends, the other device has an occasion to do what there is. */
    @Test
    void whatHasWaitedLongEnoughIsDoneByADevicesOwnThreads() {
        final Guest guest = new Guest();
        left.device().interruptsTo(guest);
        final RawCq other = left.createCq(16);
        for (final RawQp each : List.of(a, left.createQp(RawQp.with().cq(other)))) {
            each.retryCnt = 0;
            each.connect(0x77_7777, right.gid());
            each.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        }
        leftCq.arm();
        other.arm();
        guest.told.clear();
        guest.bystander = new Thread(rightCq::arm);
        left.device().faults().passTime(Duration.ofHours(1));
        left.device().service();
        assertThat(guest.told).containsExactly(Thread.currentThread(), Thread.currentThread());
    }

    /** It fails by a timer of its own device, and nobody rings for the other one. */
    @Test
    void whoWaitsForAReceiveOfOneThatFailsWaitsForItNoMore() {
        a.rnrRetry = 1;
        b.minRnrTimer = 0; // which is 0.65 s
        RawQp.connect(a, b);
        b.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        a.post(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(right.device().describe()).contains("waits for a receive");
        left.device().faults().passTime(Duration.ofHours(1));
        left.device().service();
        assertThat(leftCq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_RNR_RETRY_EXC_ERR);
        assertThat(right.device().describe()).doesNotContain("waits for a receive");
    }

    @Test
    void doNotTakeEachOthersGids() {
        assertThat(left.run(Command.CREATE_BIND, x -> new CreateBindRequest().wrap(x, 0).set(CreateBindRequest.INDEX, 5)
            .set(CreateBindRequest.NEW_GID, right.gid()).set(CreateBindRequest.GID_TYPE, 2))).isEqualTo(-16);
    }
}
