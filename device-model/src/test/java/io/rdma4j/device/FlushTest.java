/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawEvents.Event;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawSrq;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.testing.Patience;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A queue pair goes to ERR: each request that was posted completes exactly once and in order. */
class FlushTest {
    private static final int FULL = 16384;

    private final RawDriver driver = RawDriver.ready("emulated:flush");
    private final ExecutorService threads = Executors.newFixedThreadPool(2);

    @AfterEach
    void close() {
        threads.shutdownNow();
        driver.close();
    }

    private static void expectFlushed(RawCq cq, int opcode, int posted) {
        for (int i = 0; i < posted; i++) {
            final Completion completion = cq.poll();
            assertThat(completion).as("completion %d of %d", i, posted).isNotNull();
            assertThat(completion.wrId()).isEqualTo(i);
            assertThat(completion.opcode()).isEqualTo(opcode);
            assertThat(completion.status()).isEqualTo(WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
        }
        assertThat(cq.poll()).isNull();
    }

    /** Nobody reads the CQs, so they must hold what both queues hold, and what is posted to them afterwards. */
    @Test
    void flushesFullQueues() {
        final RawCq sends = driver.createCq(FULL);
        final RawCq receives = driver.createCq(FULL);
        final RawQp qp = driver.createQp(RawQp.with().cqs(sends, receives).sizes(FULL, FULL, 1));
        // Nobody is there: the first send waits for hours and is flushed with the others.
        qp.timeout = 31;
        qp.connect(0x77, driver.gid());
        for (int i = 0; i < FULL; i++) {
            final int id = i;
            qp.write(w -> w.send(id, PVRDMA_WR_SEND, 0));
            qp.receive(i, new long[0][]);
        }
        assertThat(qp.sendsAreFull()).isTrue();
        assertThat(qp.receivesAreFull()).isTrue();

        assertThat(qp.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();

        expectFlushed(sends, WcOpcode.PVRDMA_WC_SEND, FULL);
        expectFlushed(receives, WcOpcode.PVRDMA_WC_RECV, FULL);
        qp.ringSend();
        qp.ringReceive();
        assertThat(qp.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();
        assertThat(sends.poll()).isNull();
        assertThat(receives.poll()).isNull();
    }

    /** Of a ring to which a driver posts while it is flushed: no driver keeps the device in there. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void flushesAsManyAtOnceAsTheRingHas(boolean receives) {
        final int wrs = 16;
        final RawCq cq = driver.createCq(64);
        final RawQp qp = driver.createQp(RawQp.with().cq(cq).sizes(wrs, wrs, 1));
        qp.connect(0x77, driver.gid());
        for (int i = 0; i < wrs; i++) {
            write(qp, receives, i);
        }
        driver.onInterrupt(number -> {
            if (number == 2) {
                write(qp, receives, wrs);
            }
        });
        cq.arm();
        assertThat(qp.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();
        expectFlushed(cq, receives ? WcOpcode.PVRDMA_WC_RECV : WcOpcode.PVRDMA_WC_SEND, wrs);
        if (receives) {
            qp.ringReceive();
        } else {
            qp.ringSend();
        }
        assertThat(cq.poll().wrId()).isEqualTo(wrs);
        assertThat(cq.poll()).isNull();
    }

    private static void write(RawQp qp, boolean receive, int id) {
        if (receive) {
            qp.writeReceive(w -> RqWqe.header(w.page(), w.at(), id, 0));
        } else {
            qp.write(w -> w.send(id, PVRDMA_WR_SEND, 0));
        }
    }

    /** One thread posts to the send queue, one to the receive queue, and a third ends the queue pair under them. */
    @ParameterizedTest
    @ValueSource(ints = {0, 100, 2_000, 12_000})
    void flushesWhatIsPostedDuringTheStep(int before) throws Exception {
        final RawCq sends = driver.createCq(FULL);
        final RawCq receives = driver.createCq(FULL);
        final RawQp qp = driver.createQp(RawQp.with().cqs(sends, receives).sizes(FULL, FULL, 1));
        // Nobody is there: the first send waits for hours and is flushed with the others.
        qp.timeout = 31;
        qp.connect(0x77, driver.gid());
        final AtomicInteger posted = new AtomicInteger();
        final Future<?> sending = threads.submit(() -> {
            for (int i = 0; i < FULL; i++) {
                qp.send(i, 0, 0, 0);
                posted.lazySet(i);
            }
        });
        final Future<?> receiving = threads.submit(() -> {
            for (int i = 0; i < FULL; i++) {
                qp.receive(i, 0, 0, 0);
            }
        });
        while (posted.get() < before && !sending.isDone()) {
            Thread.onSpinWait();
        }
        assertThat(qp.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();
        Patience.get(sending);
        Patience.get(receiving);

        expectFlushed(sends, WcOpcode.PVRDMA_WC_SEND, FULL);
        expectFlushed(receives, WcOpcode.PVRDMA_WC_RECV, FULL);
    }

    @Test
    void tellsOnceThatAQueuePairTookItsLastSharedReceive() throws Exception {
        final RawEvents events = new RawEvents(driver);
        final RawCq cq = driver.createCq(1024);
        final RawSrq srq = driver.createSrq(64, 1);
        final RawRegion region = driver.register(64, 1);
        for (int round = 0; round < 50; round++) {
            final RawQp a = driver.createQp(RawQp.with().cq(cq));
            final RawQp b = driver.createQp(RawQp.with().cq(cq).srq(srq));
            RawQp.connect(a, b);
            srq.receive(1, region.start(), 64, region.lkey);
            final Future<?> sending = threads.submit(() -> {
                // The second fails the receiver, if that is not in ERR already.
                a.post(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
                a.post(w -> w.send(3, 0, PVRDMA_SEND_SIGNALED).rdma(1, 1).sge(region.start(), 8, region.lkey));
            });
            assertThat(b.modifyState(QpState.PVRDMA_QPS_ERR)).isZero();
            Patience.get(sending);
            b.modifyState(QpState.PVRDMA_QPS_ERR);
            int last = 0;
            for (Event event = events.poll(); event != null; event = events.poll()) {
                last += event.equals(new Event(EventType.PVRDMA_EVENT_QP_LAST_WQE_REACHED, b.handle)) ? 1 : 0;
            }
            assertThat(last).isEqualTo(1);
            a.destroy();
            b.destroy();
            while (cq.poll() != null) {
                // Only events matter here.
            }
        }
    }

    @Test
    void tellsItAgainAfterAReset() {
        final RawEvents events = new RawEvents(driver);
        final RawCq cq = driver.createCq(16);
        final RawQp qp = driver.createQp(RawQp.with().cq(cq).srq(driver.createSrq(4, 1)));
        for (int round = 0; round < 3; round++) {
            qp.connect(0x77, driver.gid());
            qp.modifyState(QpState.PVRDMA_QPS_ERR);
            assertThat(events.poll()).isEqualTo(new Event(EventType.PVRDMA_EVENT_QP_LAST_WQE_REACHED, qp.handle));
            assertThat(events.poll()).isNull();
            qp.modifyState(QpState.PVRDMA_QPS_RESET);
        }
    }
}
