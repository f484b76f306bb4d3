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

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Keys that come and go under traffic, by work requests and by commands at once: nobody waits for ever. */
@Timeout(120)
class MemoryManagementStressTest {
    private static final int ROUNDS = 3000;

    private final RawPair pair = RawPair.connected("emulated:mmstress");
    private final RawDriver driver = pair.driver;
    private final AtomicInteger running = new AtomicInteger();
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
        running.incrementAndGet();
        final Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (final AssertionError | RuntimeException | InterruptedException e) {
                failure.compareAndSet(null, e);
            } finally {
                running.decrementAndGet();
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

    /** One thread writes through a window, one binds it anew all the time, one ends its regions by command. */
    @Test
    void windowsAreBoundWhileTheirRegionsEnd() throws InterruptedException {
        final RawCq binds = driver.createCq(64);
        final RawQp binder = connected(binds, driver.createCq(64))[0];
        final RawWindow window = driver.createMw(1);
        final AtomicReference<RawRegion> current = new AtomicReference<>(region());
        start(() -> {
            for (int i = 0; i < ROUNDS && failure.get() == null; i++) {
                final RawRegion region = current.get();
                window.bind(binder, region, region.start(), 4096, PVRDMA_ACCESS_REMOTE_WRITE);
                if (binds.await().status() != PVRDMA_WC_SUCCESS) {
                    // The region has ended; commands are for the other thread.
                    break;
                }
            }
        });
        start(() -> {
            int status = PVRDMA_WC_SUCCESS;
            for (int i = 0; i < ROUNDS && status == PVRDMA_WC_SUCCESS; i++) {
                status = pair.write(current.get().start(), 4096, window.rkey);
            }
            assertThat(status).isIn(PVRDMA_WC_SUCCESS, PVRDMA_WC_REM_ACCESS_ERR);
        });
        start(() -> {
            while (running.get() > 1) {
                final RawRegion old = current.getAndSet(region());
                assertThat(driver.destroy(Command.DESTROY_MR, old.handle)).isZero();
                old.putLong(0, 0x5555);
                assertThat(old.getLong(0)).as("written after its region ended").isEqualTo(0x5555);
            }
        });
        finish();
    }

    private RawRegion region() {
        return driver.register(driver.pd, 4096, 0, PVRDMA_ACCESS_LOCAL_WRITE | PVRDMA_ACCESS_MW_BIND);
    }
}
