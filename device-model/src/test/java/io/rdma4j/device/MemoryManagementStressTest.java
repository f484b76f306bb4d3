/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_MW_BIND;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE;
import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_REM_ACCESS_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_SUCCESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawFastRegion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawWindow;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.testing.Patience;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Keys that come and go under traffic, by work requests and by commands at once: nobody waits for ever. */
@Timeout(120)
class MemoryManagementStressTest {
    private static final int ROUNDS = 3000;
    /** Of writes through a window, and of refusals of such. */
    private static final int ENOUGH = 200;
    private static final int WINDOW = 8 * 4096;
    private static final int SHOWN = PVRDMA_ACCESS_LOCAL_WRITE | PVRDMA_ACCESS_MW_BIND;
    private static final int STEP = 512;
    private static final long MARK = 0x5555_5555_5555_5555L;

    private final RawPair pair = RawPair.connected("emulated:mmstress");
    private final RawDriver driver = pair.driver;
    /** Guards the command channel. */
    private final Object commands = new Object();
    private final AtomicInteger written = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private volatile int rounds;
    private volatile int shown;
    private volatile boolean over;
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final List<Thread> threads = new ArrayList<>();

    @AfterEach
    void close() {
        pair.close();
    }

    private interface Work {
        void run() throws InterruptedException;
    }

    private void start(Work work) {
        final Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (final AssertionError | RuntimeException | InterruptedException e) {
                failure.compareAndSet(null, e);
            }
        });
        threads.add(thread);
    }

    private void finish() throws InterruptedException {
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failure.get()).isNull();
    }

    private RawQp[] connected(RawCq left, RawCq right) {
        final RawQp[] two = {driver.createQp(RawQp.with().cq(left)), driver.createQp(RawQp.with().cq(right))};
        RawQp.connect(two[0], two[1]);
        return two;
    }

    /** Both sides fill, use and empty regions of their own, and have the peer empty theirs; each way on two threads. */
    @Test
    void fastRegionsAreInvalidatedFromBothSidesAtOnce() throws InterruptedException {
        final RawCq left = driver.createCq(64);
        final RawCq right = driver.createCq(64);
        final RawQp[] second = connected(left, right);
        for (RawQp[] way : new RawQp[][] {{pair.a, pair.b}, {second[1], second[0]}}) {
            final RawCq senders = way[0] == pair.a ? pair.cqA : right;
            final RawCq receivers = way[0] == pair.a ? pair.cqB : left;
            final DmaMemory page = driver.page();
            final RawFastRegion region = driver.createFastRegion(1);
            region.list(page.iova());
            start(() -> inTurn(way[0], way[1], senders, receivers, region));
        }
        finish();
    }

    private void inTurn(RawQp sender, RawQp receiver, RawCq senders, RawCq receivers, RawFastRegion region) {
        for (int i = 0; i < ROUNDS; i++) {
            region.register(receiver, 0, 4096, 1, RawPair.ALL);
            assertThat(receivers.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
            receiver.receive(i, 1024, 64, region.lkey);
            sender.post(w -> w.send(1, WrOpcode.PVRDMA_WR_SEND_WITH_INV, PVRDMA_SEND_SIGNALED).invalidate(region.rkey)
                .sge(pair.from.start(), 64, pair.from.lkey));
            assertThat(senders.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
            assertThat(receivers.await().imm()).isEqualTo(region.rkey);
        }
    }

    /**
     * One thread writes through a window all the time, one binds it and takes the memory away again, by an unbind and
     * by the end of the region in turn: nothing is written from then on.
     */
    @Test
    void windowsAreBoundWhileTheirRegionsEnd() throws InterruptedException {
        final RawRegion source = driver.register(WINDOW, 0);
        final RawRegion target = driver.register(WINDOW, SHOWN);
        assertThat(driver.destroy(Command.DESTROY_MR, target.handle)).isZero();
        final RawCq binds = driver.createCq(64);
        final RawQp binder = connected(binds, driver.createCq(64))[0];
        final RawWindow window = driver.createMw(1);
        start(() -> {
            while (!over && failure.get() == null) {
                writeOnce(source, target.start());
            }
        });
        start(() -> {
            try {
                takeAwayAgainAndAgain(target, window, binder, binds);
            } finally {
                over = true;
            }
        });
        finish();
        assertThat(rounds).as("rounds").isGreaterThanOrEqualTo(ROUNDS);
        assertThat(written.get()).as("written").isGreaterThanOrEqualTo(ENOUGH);
        assertThat(refused.get()).as("refused").isGreaterThanOrEqualTo(ENOUGH);
    }

    private void writeOnce(RawRegion source, long address) {
        final int key = shown;
        final int status = pair.run(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED)
            .rdma(address, key).sge(source.start(), WINDOW, source.lkey));
        if (status == PVRDMA_WC_SUCCESS) {
            written.incrementAndGet();
        } else {
            assertThat(status).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
            refused.incrementAndGet();
            synchronized (commands) {
                pair.restart();
            }
        }
    }

    private void takeAwayAgainAndAgain(RawRegion target, RawWindow window, RawQp binder, RawCq binds) {
        final SplittableRandom random = new SplittableRandom(4);
        final long deadline = System.nanoTime() + Patience.nanos();
        while ((rounds < ROUNDS || written.get() < ENOUGH || refused.get() < ENOUGH) && failure.get() == null
            && System.nanoTime() - deadline < 0) {
            synchronized (commands) {
                driver.register(driver.pd, target, SHOWN);
            }
            window.bind(binder, target, target.start(), WINDOW, PVRDMA_ACCESS_REMOTE_WRITE);
            assertThat(binds.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
            shown = window.rkey;
            spin(random.nextInt(60_000));
            if ((rounds & 1) == 0) {
                window.bind(binder, null, 0, 0, 0);
                assertThat(binds.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
                isNotWrittenAnyMore(target);
            }
            synchronized (commands) {
                assertThat(driver.destroy(Command.DESTROY_MR, target.handle)).isZero();
            }
            isNotWrittenAnyMore(target);
            rounds++;
        }
    }

    private void isNotWrittenAnyMore(RawRegion target) {
        for (int at = 0; at < WINDOW; at += STEP) {
            target.putLong(at, MARK);
        }
        spin(8000);
        for (int at = 0; at < WINDOW; at += STEP) {
            if (target.getLong(at) != MARK) {
                throw new AssertionError(String.format("round %d: byte %d was written after it was taken away%n%s",
                    rounds, at, driver.device().describe()));
            }
        }
    }

    private static void spin(long nanos) {
        final long begin = System.nanoTime();
        while (System.nanoTime() - begin < nanos) {
            Thread.onSpinWait();
        }
    }
}
