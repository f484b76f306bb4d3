/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SOLICITED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE_WITH_IMM;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.testing.Background;
import io.rdma4j.testing.Patience;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Completion queues: arming, notification, overflow. */
class CqTest {
    private final RawPair pair = RawPair.connected("emulated:cq");
    private final RawEvents events = new RawEvents(pair.driver);
    private final InterruptVector vector = pair.driver.pci.interrupts().vector(2);

    @AfterEach
    void close() {
        pair.close();
    }

    private void send(int flags) {
        pair.b.receive(1, new long[0][]);
        pair.a.post(w -> w.send(2, PVRDMA_WR_SEND, flags));
    }

    /** A slot has the bytes of the completion before; each field is written anew. */
    @Test
    void leavesNothingOfWhatWasInTheSlot() {
        for (final RawCq cq : new RawCq[] {pair.cqA, pair.cqB}) {
            cq.ring.page(1, 0, Cqe.LENGTH).setMemory(0, Cqe.LENGTH, (byte) -1);
        }
        send(PVRDMA_SEND_SIGNALED);
        for (final RawCq cq : new RawCq[] {pair.cqA, pair.cqB}) {
            final UnsafeBuffer page = cq.ring.page(1, 0, Cqe.LENGTH);
            final Completion told = cq.poll();
            assertThat(told.status()).isZero();
            assertThat(told.byteLen()).isZero();
            assertThat(told.imm()).isZero();
            assertThat(told.flags()).isZero();
            assertThat(told.vendorErr()).isZero();
            assertThat(told.networkHdrType()).isZero();
            for (int at = Cqe.PKEY_INDEX_OFFSET; at < Cqe.LENGTH; at++) {
                assertThat(page.getByte(at)).as("byte %d", at).isEqualTo((byte) (at == Cqe.PORT_NUM_OFFSET ? 1 : 0));
            }
        }
    }

    @Test
    void notifiesNobodyUnlessArmed() {
        send(PVRDMA_SEND_SIGNALED | PVRDMA_SEND_SOLICITED);
        assertThat(vector.fired()).isZero();
        assertThat(events.pollNotification()).isEqualTo(-1);
    }

    @Test
    void notifiesOnceForAnyCompletion() {
        pair.cqB.arm();
        send(0);
        send(0);
        assertThat(events.pollNotification()).isEqualTo(pair.cqB.handle);
        assertThat(events.pollNotification()).isEqualTo(-1);
        assertThat(vector.fired()).isEqualTo(1);
        pair.cqB.arm();
        assertThat(vector.fired()).isEqualTo(1);
        send(0);
        assertThat(vector.fired()).isEqualTo(2);
    }

    @Test
    void notifiesForSolicitedMessagesOnlyIfArmedSo() {
        pair.cqB.armSolicited();
        send(PVRDMA_SEND_SIGNALED);
        assertThat(vector.fired()).isZero();
        send(PVRDMA_SEND_SOLICITED);
        assertThat(vector.fired()).isEqualTo(1);
    }

    @Test
    void countsAnErrorAsSolicited() {
        pair.cqA.armSolicited();
        pair.a.write(w -> w.send(2, PVRDMA_WR_SEND, 0));
        pair.a.modifyState(QpState.PVRDMA_QPS_ERR);
        assertThat(vector.fired()).isEqualTo(1);
    }

    @Test
    void countsAnErrorOfAReceiveAsSolicited() {
        pair.cqB.armSolicited();
        pair.b.receive(1, new long[0][]);
        pair.a.post(w -> w.send(2, PVRDMA_WR_SEND, 0).sge(pair.from.start(), 8, pair.from.lkey));
        assertThat(pair.cqB.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_LEN_ERR);
        assertThat(vector.fired()).isEqualTo(1);
    }

    @Test
    void solicitsTheReceiverAndNotTheSender() {
        pair.cqA.armSolicited();
        send(PVRDMA_SEND_SIGNALED | PVRDMA_SEND_SOLICITED);
        assertThat(pair.cqA.poll().status()).isZero();
        assertThat(vector.fired()).isZero();
    }

    @Test
    void solicitsWithAWriteOnlyIfThatTakesAReceive() {
        pair.cqB.armSolicited();
        pair.b.receive(1, new long[0][]);
        pair.a.post(w -> w.send(2, PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SOLICITED));
        assertThat(vector.fired()).isZero();
        pair.a.post(w -> w.send(2, PVRDMA_WR_RDMA_WRITE_WITH_IMM, PVRDMA_SEND_SOLICITED));
        assertThat(vector.fired()).isEqualTo(1);
    }

    @Test
    void isArmedForWhateverWasAskedForUntilItNotifies() {
        pair.cqB.arm();
        pair.cqB.armSolicited();
        send(0);
        assertThat(vector.fired()).as("the wish for solicited ones does not replace the wider one").isEqualTo(1);
        send(PVRDMA_SEND_SOLICITED);
        assertThat(vector.fired()).as("both wishes are spent").isEqualTo(1);
        pair.cqB.armSolicited();
        pair.cqB.arm();
        send(0);
        assertThat(vector.fired()).isEqualTo(2);
    }

    @Test
    void notifiesOnceHoweverOftenItIsArmed() {
        for (int i = 0; i < 5; i++) {
            pair.cqB.arm();
        }
        send(0);
        send(0);
        assertThat(vector.fired()).isEqualTo(1);
        assertThat(events.pollNotification()).isEqualTo(pair.cqB.handle);
        assertThat(events.pollNotification()).isEqualTo(-1);
    }

    @Test
    void takesAllQueuePairsAlongThatItFails() {
        final RawCq small = pair.driver.createCq(1);
        final RawQp[] users = {pair.driver.createQp(RawQp.with().cq(small)),
            pair.driver.createQp(RawQp.with().cqs(small, pair.cqA)),
            pair.driver.createQp(RawQp.with().cqs(pair.cqA, small))};
        for (RawQp user : users) {
            user.connect(user.qpn, pair.driver.gid());
        }
        users[2].receive(5, new long[0][]);
        users[2].post(w -> w.send(6, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(pair.cqA.poll().wrId()).isEqualTo(6);
        users[1].receive(8, new long[0][]);

        users[0].post(w -> w.send(7, PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED));

        assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_CQ_ERR, small.handle));
        final List<RawEvents.Event> rest = new ArrayList<>();
        for (RawEvents.Event event = events.poll(); event != null; event = events.poll()) {
            rest.add(event);
        }
        assertThat(rest).containsExactlyInAnyOrder(
            new RawEvents.Event(EventType.PVRDMA_EVENT_QP_FATAL, users[0].handle),
            new RawEvents.Event(EventType.PVRDMA_EVENT_QP_FATAL, users[1].handle),
            new RawEvents.Event(EventType.PVRDMA_EVENT_QP_FATAL, users[2].handle));
        for (RawQp user : users) {
            assertThat(user.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        }
        assertThat(pair.cqA.poll()).as("a receive of one of them, into a CQ that is well")
            .matches(c -> c.wrId() == 8 && c.status() == WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
    }

    @Test
    void executesNothingMoreOfABatchWhoseCompletionsAreLost() {
        final RawCq small = pair.driver.createCq(1);
        final RawQp c = pair.driver.createQp(RawQp.with().cq(small));
        c.connect(c.qpn, pair.driver.gid());
        pair.to.fill(2);
        for (int i = 0; i < 5; i++) {
            final int at = i;
            c.write(w -> w.send(at, PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED).rdma(pair.to.start() + at, pair.to.rkey)
                .sge(pair.from.start(), 1, pair.from.lkey));
        }
        c.ringSend();
        for (int i = 0; i < 5; i++) {
            assertThat(pair.to.get(i)).isEqualTo(i < 2 ? pair.from.get(0) : (byte) RawRegion.pattern(2, i));
        }
    }

    @Test
    void receivesNothingMoreOfABatchWhoseCompletionsAreLost() {
        final RawCq small = pair.driver.createCq(1);
        final RawQp c = pair.driver.createQp(RawQp.with().cq(pair.cqA));
        final RawQp d = pair.driver.createQp(RawQp.with().cqs(pair.cqB, small));
        RawQp.connect(c, d);
        pair.to.fill(2);
        for (int i = 0; i < 5; i++) {
            final int id = i;
            d.receive(i, pair.to.start() + i, 1, pair.to.lkey);
            c.write(w -> w.send(id, PVRDMA_WR_SEND, 0).sge(pair.from.start(), 1, pair.from.lkey));
        }
        c.ringSend();
        for (int i = 0; i < 5; i++) {
            assertThat(pair.to.get(i)).as("receive %d", i)
                .isEqualTo(i < 2 ? pair.from.get(0) : (byte) RawRegion.pattern(2, i));
        }
        assertThat(small.poll().wrId()).isZero();
        assertThat(small.poll()).isNull();
    }

    @Test
    void wakesAWaitingThread() throws Exception {
        pair.cqB.arm();
        final CompletableFuture<Long> woken = CompletableFuture.supplyAsync(() ->
            vector.await(Patience.nanos()), Background::run);
        Thread.sleep(20);
        send(0);
        assertThat(Patience.get(woken)).isEqualTo(1);
    }

    @Test
    void reportsAnOverflowOnceAndCompletesNothingMore() {
        final RawCq small = pair.driver.createCq(2);
        final RawQp c = pair.driver.createQp(RawQp.with().cqs(small, pair.cqA));
        final RawQp d = pair.driver.createQp(RawQp.with().cq(pair.cqB));
        RawQp.connect(c, d);
        for (int i = 0; i < 4; i++) {
            final int id = i;
            d.receive(i, new long[0][]);
            c.post(w -> w.send(id, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        }
        assertThat(small.poll().wrId()).isZero();
        assertThat(small.poll().wrId()).isEqualTo(1);
        assertThat(small.poll()).isNull();
        assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_CQ_ERR, small.handle));
        assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_QP_FATAL, c.handle));
        assertThat(events.poll()).isNull();
        assertThat(c.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(d.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_RTS);
        assertThat(pair.count(Counter.CQ_OVERFLOWS)).isEqualTo(2);
    }

    @Test
    void usesEverySlotOfARingThatIsEmptiedInTime() {
        final RawCq small = pair.driver.createCq(1);
        final RawQp c = pair.driver.createQp(RawQp.with().cqs(small, pair.cqA));
        final RawQp d = pair.driver.createQp(RawQp.with().cq(pair.cqB));
        RawQp.connect(c, d);
        for (int i = 0; i < 10; i++) {
            final int id = i;
            d.receive(i, new long[0][]);
            c.post(w -> w.send(id, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
            assertThat(small.poll().wrId()).isEqualTo(i);
            assertThat(pair.cqB.poll().wrId()).isEqualTo(i);
        }
    }

    @Test
    void isNotDestroyedWhileAQueuePairUsesIt() {
        assertThat(pair.driver.destroy(Command.DESTROY_CQ, pair.cqA.handle)).isEqualTo(-16);
        pair.a.destroy();
        assertThat(pair.driver.destroy(Command.DESTROY_CQ, pair.cqA.handle)).isZero();
        pair.cqA.arm();
        assertThat(pair.count(Counter.BAD_DOORBELLS)).isEqualTo(1);
    }
}
