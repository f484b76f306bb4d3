/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRing;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.testing.Patience;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A completion queue moves to other memory, with its completions and while more come. */
class CqResizeTest {
    private static final int EINVAL = -22;

    private final RawPair pair = RawPair.connected("emulated:resize");
    private final RawCq cq = pair.cqA;
    private long sent;

    @AfterEach
    void close() {
        pair.close();
    }

    /** Each leaves one completion in the CQ. */
    private void send(int count) {
        for (int i = 0; i < count; i++) {
            pair.b.receive(0, new long[0][]);
            pair.a.send(sent++, 0, 0, 0);
            pair.cqB.poll();
        }
    }

    private void expect(long first, int count) {
        for (long id = first; id < first + count; id++) {
            final RawCq.Completion completion = cq.poll();
            assertThat(completion).as("completion %d", id).isNotNull();
            assertThat(completion.wrId()).isEqualTo(id);
            assertThat(completion.qp()).isEqualTo(pair.a.handle);
            assertThat(completion.status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        }
        assertThat(cq.poll()).isNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16, 64, 128, 4096})
    void goesOnInAnotherRing(int entries) {
        send(60);
        expect(0, 60);
        for (int round = 0; round < 3; round++) {
            assertThat(cq.resize(entries)).isZero();
            for (int i = 0; i < 2 * Math.min(entries, 100) + 1; i++) {
                send(1);
                expect(sent - 1, 1);
            }
        }
    }

    @Test
    void takesPendingCompletionsAlongTheOldestFirst() {
        send(50);
        for (int i = 0; i < 40; i++) {
            assertThat(cq.poll().wrId()).isEqualTo(i);
        }
        send(44);
        final RawRing old = cq.ring;
        assertThat(cq.resize(256)).isZero();
        assertThat(cq.ring.state().getInt(RingState.RX_PROD_TAIL_OFFSET)).isEqualTo(54);
        assertThat(cq.ring.state().getInt(RingState.RX_CONS_HEAD_OFFSET)).isZero();
        final int tail = old.state().getInt(RingState.RX_PROD_TAIL_OFFSET);
        send(10);
        assertThat(old.state().getInt(RingState.RX_PROD_TAIL_OFFSET)).as("the old ring is left alone").isEqualTo(tail);
        expect(40, 64);
    }

    @Test
    void fillsTheNewRingToTheLastSlot() {
        send(16);
        assertThat(cq.resize(16)).isZero();
        expect(0, 16);
        send(16);
        expect(16, 16);
    }

    @Test
    void refusesToLoseCompletionsAndStaysAsItWas() {
        send(17);
        assertThat(cq.resize(16)).isEqualTo(EINVAL);
        assertThat(cq.resize(1)).isEqualTo(EINVAL);
        send(1);
        expect(0, 18);
        assertThat(cq.resize(1)).isZero();
    }

    @Test
    void needsTheOldRingNoMore() {
        final RawRing old = cq.ring;
        send(5);
        assertThat(cq.resize(64)).isZero();
        for (int i = 0; i < old.pages(); i++) {
            old.memory(i).close();
        }
        send(20);
        expect(0, 25);
    }

    @Test
    void keepsWhatItIsArmedFor() {
        cq.arm();
        assertThat(cq.resize(128)).isZero();
        assertThat(pair.driver.pci.interrupts().vector(2).fired()).isZero();
        send(1);
        assertThat(pair.driver.pci.interrupts().vector(2).fired()).isEqualTo(1);
    }

    @Test
    void refusesWhatIsNoRing() {
        send(3);
        final RawRing ring = new RawRing(pair.driver, 3);
        assertThat(cq.resize(ring.pdir(), 0, 3)).isEqualTo(EINVAL);
        assertThat(cq.resize(ring.pdir(), -64, 3)).isEqualTo(EINVAL);
        assertThat(cq.resize(ring.pdir(), 100, 3)).isEqualTo(EINVAL);
        assertThat(cq.resize(ring.pdir(), 1 << 17, 3)).as("above max_cqe").isEqualTo(EINVAL);
        assertThat(cq.resize(ring.pdir(), 64, 0)).isEqualTo(EINVAL);
        assertThat(cq.resize(ring.pdir(), 64, 1)).isEqualTo(EINVAL);
        assertThat(cq.resize(ring.pdir(), 128, 2)).isEqualTo(EINVAL);
        assertThat(cq.resize(ring.pdir(), 64, -1)).isEqualTo(EINVAL);
        assertThat(cq.resize(ring.pdir(), 64, Integer.MAX_VALUE)).isEqualTo(EINVAL);
        assertThat(cq.resize(ring.pdir(), 128, 4)).as("a table entry of 0").isLessThan(0);
        assertThat(cq.resize(0, 64, 2)).isLessThan(0);
        assertThat(cq.resize(0x7777_7777_7000L, 64, 2)).isLessThan(0);
        assertThat(cq.resize(ring.pdir() + 8, 64, 2)).isLessThan(0);
        ring.memory(1).close();
        assertThat(cq.resize(ring.pdir(), 64, 2)).isLessThan(0);
        send(2);
        expect(0, 5);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x0123_4567, -1, 10, 0x7fff_ffff})
    void refusesARingWithAnIndexThatCannotBe(int head) {
        send(3);
        cq.ring.state().putInt(RingState.RX_CONS_HEAD_OFFSET, head);
        assertThat(cq.resize(64)).isEqualTo(EINVAL);
    }

    @Test
    void refusesAQueueThatIsNotThereOrHasFailed() {
        final RawCq small = pair.driver.createCq(1);
        final RawQp c = pair.driver.createQp(RawQp.with().cq(small));
        c.connect(0x77, pair.driver.gid());
        c.post(w -> w.send(1, 99, PVRDMA_SEND_SIGNALED));
        c.post(w -> w.send(2, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(small.resize(64)).isEqualTo(EINVAL);
        c.destroy();
        assertThat(pair.driver.destroy(Command.DESTROY_CQ, small.handle)).isZero();
        assertThat(small.resize(64)).isEqualTo(EINVAL);
    }

    @ParameterizedTest
    @ValueSource(strings = {"extensions=false", "quirks=qemu-7.2"})
    void isUnknownToADeviceWithoutExtensions(String option) {
        try (RawDriver plain = RawDriver.ready("emulated:plain?" + option)) {
            final RawCq its = plain.createCq(64);
            final RawRing before = its.ring;
            assertThat(its.resize(128)).isEqualTo(0xffff);
            assertThat(its.ring).isSameAs(before);
        }
    }

    /** The old ring goes back each time: whoever still wrote there would fail and take its queue pair along. */
    @Test
    void losesAndDoublesNothingWhileThreadsProduce() throws Exception {
        final int producers = 2;
        final long messages = 20_000;
        final RawCq shared = pair.driver.createCq(64);
        final ExecutorService threads = Executors.newFixedThreadPool(producers);
        final AtomicLong[] completed = {new AtomicLong(), new AtomicLong()};
        final List<Future<?>> running = new ArrayList<>();
        final long deadline = System.nanoTime() + Patience.nanos();
        for (int i = 0; i < producers; i++) {
            final int me = i;
            final RawQp qp = pair.driver.createQp(RawQp.with().cq(shared));
            // A write of nothing to itself: a completion, and nothing else.
            qp.connect(qp.qpn, pair.driver.gid());
            running.add(threads.submit(() -> {
                final IdleStrategy idle = RawCq.patient();
                for (long n = 0; n < messages; n++) {
                    idle.reset();
                    while (n - completed[me].get() >= 16) {
                        idle.idle();
                        assertThat(System.nanoTime()).isLessThan(deadline);
                    }
                    final long id = (long) me << 32 | n;
                    qp.post(w -> w.send(id, PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED));
                }
            }));
        }
        final IdleStrategy idle = RawCq.patient();
        int resizes = 0;
        while (completed[0].get() + completed[1].get() < producers * messages) {
            assertThat(System.nanoTime()).as(pair.driver.device()::describe).isLessThan(deadline);
            final RawCq.Completion completion = shared.poll();
            if (completion == null) {
                idle.idle();
            } else {
                idle.reset();
                final AtomicLong mine = completed[(int) (completion.wrId() >>> 32)];
                assertThat(completion.status()).isZero();
                assertThat((int) completion.wrId()).isEqualTo((int) mine.getAndIncrement());
                if ((completion.wrId() & 63) == 0) {
                    final RawRing before = shared.ring;
                    assertThat(shared.resize(64 << (++resizes & 3))).isZero();
                    for (int i = 0; i < before.pages(); i++) {
                        before.memory(i).close();
                    }
                }
            }
        }
        for (Future<?> thread : running) {
            Patience.get(thread);
        }
        threads.shutdown();
        assertThat(resizes).isGreaterThan(100);
        assertThat(shared.poll()).isNull();
    }
}
