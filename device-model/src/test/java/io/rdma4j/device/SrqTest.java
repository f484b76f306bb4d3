/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE;
import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawEvents.Event;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawSrq;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.testing.Patience;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;

import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Shared receive queues. */
class SrqTest {
    private final RawDriver driver = RawDriver.ready("emulated:srq");
    private final RawCq cq = driver.createCq(64);
    private final RawSrq srq = driver.createSrq(16, 2);
    private final RawRegion region = driver.register(4096, PVRDMA_ACCESS_LOCAL_WRITE);
    private final RawQp[] senders = new RawQp[2];
    private final RawQp[] receivers = new RawQp[2];

    SrqTest() {
        for (int i = 0; i < 2; i++) {
            senders[i] = driver.createQp(RawQp.with().cq(cq));
            receivers[i] = driver.createQp(RawQp.with().cq(cq).srq(srq));
            RawQp.connect(senders[i], receivers[i]);
        }
    }

    @AfterEach
    void close() {
        driver.close();
    }

    private void send(int i) {
        senders[i].post(w -> w.send(50 + i, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED).sge(region.start(), 8, region.lkey));
    }

    @Test
    void servesSeveralQueuePairsInOrderOfArrival() {
        for (int i = 0; i < 4; i++) {
            srq.receive(i, region.start() + 100, 8, region.lkey);
        }
        for (int i = 0; i < 4; i++) {
            send(i & 1);
            final Completion received = cq.poll();
            assertThat(received.wrId()).isEqualTo(i);
            assertThat(received.qp()).isEqualTo(receivers[i & 1].handle);
            assertThat(cq.poll().wrId()).isEqualTo(50 + (i & 1));
        }
    }

    @Test
    void resumesAllSendersThatWait() {
        send(0);
        send(1);
        assertThat(cq.poll()).isNull();

        srq.receive(1, region.start(), 8, region.lkey);
        assertThat(cq.poll().wrId()).isEqualTo(1);
        assertThat(cq.poll().wrId()).isGreaterThanOrEqualTo(50);
        assertThat(cq.poll()).isNull();

        srq.receive(2, region.start(), 8, region.lkey);
        assertThat(cq.poll().wrId()).isEqualTo(2);
    }

    @Test
    void reportsOnceWhenItFallsBelowTheLimit() {
        final RawEvents events = new RawEvents(driver);
        for (int i = 0; i < 4; i++) {
            srq.receive(i, region.start(), 8, region.lkey);
        }
        assertThat(srq.modifyLimit(3)).isZero();
        assertThat(srq.queryLimit()).isEqualTo(3);
        send(0);
        assertThat(events.poll()).isNull();

        send(0);
        send(0);

        assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_SRQ_LIMIT_REACHED, srq.handle));
        assertThat(events.poll()).isNull();
        assertThat(srq.queryLimit()).isZero();
        assertThat(driver.pci.interrupts().vector(1).fired()).isEqualTo(1);
    }

    /** Nothing may be taken any more: a sender waits, or none comes. */
    @Test
    void reportsAtOnceWhenItIsArmedBelowTheLimit() {
        final RawEvents events = new RawEvents(driver);
        final RawEvents.Event reached =
            new RawEvents.Event(EventType.PVRDMA_EVENT_SRQ_LIMIT_REACHED, srq.handle);
        send(0);
        assertThat(srq.modifyLimit(1)).as("an empty queue, and a sender that waits").isZero();
        assertThat(events.poll()).isEqualTo(reached);
        assertThat(srq.queryLimit()).isZero();

        for (int i = 0; i < 4; i++) {
            srq.receive(i, region.start(), 8, region.lkey);
        }
        assertThat(cq.await().status()).isZero();
        assertThat(events.poll()).isNull();
        assertThat(srq.modifyLimit(3)).as("three are left").isZero();
        assertThat(events.poll()).isNull();
        assertThat(srq.queryLimit()).isEqualTo(3);
        assertThat(srq.modifyLimit(4)).isZero();
        assertThat(events.poll()).isEqualTo(reached);
        assertThat(srq.queryLimit()).isZero();
        send(0);
        assertThat(events.poll()).as("once").isNull();
    }

    @Test
    void keepsItsReceivesWhenAQueuePairFails() {
        final RawEvents events = new RawEvents(driver);
        srq.receive(1, region.start(), 8, region.lkey);

        assertThat(receivers[0].modifyState(QpState.PVRDMA_QPS_ERR)).isZero();

        assertThat(cq.poll()).isNull();
        assertThat(events.poll())
            .isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_QP_LAST_WQE_REACHED, receivers[0].handle));
        send(1);
        assertThat(cq.poll().wrId()).isEqualTo(1);
    }

    @Test
    void failsOnlyTheQueuePairWhoseMessageIsTooLong() {
        srq.receive(1, region.start(), 7, region.lkey);
        srq.receive(2, region.start(), 8, region.lkey);
        send(0);
        assertThat(cq.poll()).matches(c -> c.wrId() == 1 && c.status() == WcStatus.PVRDMA_WC_LOC_LEN_ERR
            && c.qp() == receivers[0].handle);
        assertThat(cq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_REM_INV_REQ_ERR);
        assertThat(receivers[0].query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        send(1);
        assertThat(cq.poll()).matches(c -> c.wrId() == 2 && c.status() == 0 && c.qp() == receivers[1].handle);
    }

    @Test
    void countsReceivesThatFailedTowardsTheLimit() {
        final RawEvents events = new RawEvents(driver);
        srq.receive(1, region.start(), 7, region.lkey);
        srq.modifyLimit(1);
        send(0);
        assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_SRQ_LIMIT_REACHED, srq.handle));
    }

    @Test
    void letsASenderGoWhoseQueuePairIsDestroyedOrReset() {
        send(0);
        send(1);
        receivers[0].destroy();
        receivers[1].modifyState(QpState.PVRDMA_QPS_RESET);
        for (int i = 0; i < 2; i++) {
            assertThat(cq.await().status()).isEqualTo(WcStatus.PVRDMA_WC_RETRY_EXC_ERR);
        }
    }

    /** Three threads take receives; the limit is armed anew for each batch that is posted. */
    @Test
    void reportsOnceForEachArmingUnderTraffic() throws Exception {
        final int rounds = 300;
        final int batch = 12;
        final RawEvents events = new RawEvents(driver);
        final RawSrq shared = driver.createSrq(16, 1);
        final RawCq received = driver.createCq(64);
        final ExecutorService threads = Executors.newFixedThreadPool(3);
        final AtomicInteger mayTake = new AtomicInteger();
        final long deadline = System.nanoTime() + Patience.nanos();
        final List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            final RawCq sent = driver.createCq(16);
            final RawQp from = driver.createQp(RawQp.with().cq(sent));
            RawQp.connect(from, driver.createQp(RawQp.with().cq(received).srq(shared)));
            running.add(threads.submit(() -> {
                final IdleStrategy idle = RawCq.patient();
                for (int done = 0; done < rounds * batch / 3; done++) {
                    idle.reset();
                    while (done >= mayTake.get() * batch / 3) {
                        idle.idle();
                        assertThat(System.nanoTime()).isLessThan(deadline);
                    }
                    from.send(done, 0, 0, 0);
                    assertThat(sent.await().status()).isZero();
                }
            }));
        }
        for (int round = 1; round <= rounds; round++) {
            for (int i = 0; i < batch; i++) {
                shared.receive(i, region.start(), 8, region.lkey);
            }
            assertThat(shared.modifyLimit(1 + round % batch)).isZero();
            mayTake.set(round);
            for (int i = 0; i < batch; i++) {
                assertThat(received.await().status()).isZero();
            }
            assertThat(events.poll())
                .isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_SRQ_LIMIT_REACHED, shared.handle));
            assertThat(events.poll()).isNull();
        }
        for (Future<?> thread : running) {
            Patience.get(thread);
        }
        threads.shutdown();
    }

    @Test
    void isNotDestroyedWhileItIsUsed() {
        assertThat(driver.destroy(Command.DESTROY_SRQ, srq.handle)).isEqualTo(-16);
        assertThat(receivers[0].destroy()).isZero();
        assertThat(receivers[1].destroy()).isZero();
        assertThat(driver.destroy(Command.DESTROY_SRQ, srq.handle)).isZero();
        assertThat(driver.destroy(Command.DESTROY_SRQ, srq.handle)).isEqualTo(-22);
    }

    @Test
    void ignoresAReceiveDoorbellOfItsQueuePairs() {
        receivers[0].ringReceive();
        assertThat(driver.device().counters().get(Counter.BAD_DOORBELLS)).isEqualTo(1);
        assertThat(driver.device().violations()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 2, true", "3, 1, 2, true", "-16, 1, 2, true", "32768, 1, 2, true", "16, 0, 2, false",
        "16, 17, 5, false", "16, -1, 2, false", "16, 1, 1, true", "256, 1, 2, true"})
    void refusesSizesThatItCannotHave(final int wrs, final int sge, final int pages, final boolean hangsQemu) {
        final long pdir = driver.pdir(LongStream.generate(() -> driver.page().iova()).limit(pages).toArray());
        final long before = driver.device().counters().get(Counter.WOULD_HANG_QEMU);
        assertThat(driver.run(Command.CREATE_SRQ, driver.srqRequest(wrs, sge, pdir, pages))).isEqualTo(-22);
        assertThat(driver.device().counters().get(Counter.WOULD_HANG_QEMU) - before).isEqualTo(hangsQemu ? 1 : 0);
    }

    @Test
    void takesWritesToItsQueuePairs() {
        final RawRegion to = driver.register(64, RawPair.ALL);
        region.fill(3);
        senders[0].post(w -> w.send(50, PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED).rdma(to.start(), to.rkey)
            .sge(region.start(), 64, region.lkey));
        assertThat(cq.poll().status()).isZero();
        assertThat(to.bytes(0, 64)).isEqualTo(region.bytes(0, 64));
    }

    @Test
    void servesSendsInARow() {
        for (int i = 0; i < 4; i++) {
            srq.receive(i, region.start() + 100, 8, region.lkey);
            senders[0].write(w -> w.send(50, PVRDMA_WR_SEND, 0).sge(region.start(), 8, region.lkey));
        }
        senders[0].ringSend();
        for (int i = 0; i < 4; i++) {
            assertThat(cq.poll()).as("receive %d", i).isNotNull().matches(c -> c.status() == 0)
                .extracting(Completion::wrId).isEqualTo((long) i);
        }
        assertThat(cq.poll()).isNull();
    }

    @Test
    void breaksDownOnceAtABadIndexAndTakesEachQueuePairAlongThatMeetsIt() {
        final RawEvents events = new RawEvents(driver);
        srq.ring.state().putInt(RingState.RX_PROD_TAIL_OFFSET, 0x4000_0000);
        for (int i = 0; i < 2; i++) {
            send(i);
            assertThat(cq.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_REM_OP_ERR);
            if (i == 0) {
                assertThat(events.poll()).isEqualTo(new Event(EventType.PVRDMA_EVENT_SRQ_ERR, srq.handle));
            }
            assertThat(events.poll()).isEqualTo(new Event(EventType.PVRDMA_EVENT_QP_FATAL, receivers[i].handle));
            assertThat(events.poll())
                .isEqualTo(new Event(EventType.PVRDMA_EVENT_QP_LAST_WQE_REACHED, receivers[i].handle));
        }
        assertThat(events.poll()).isNull();
        assertThat(driver.device().counters().get(Counter.CORRUPT_RINGS)).isEqualTo(2);
    }
}
