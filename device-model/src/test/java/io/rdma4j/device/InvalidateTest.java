/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.device.raw.RawPair.ALL;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_LOCAL_WRITE;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_MW_BIND;
import static io.rdma4j.hw.pvrdma.AccessFlags.PVRDMA_ACCESS_REMOTE_WRITE;
import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_LOC_QP_OP_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_MW_BIND_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_REM_ACCESS_ERR;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_SUCCESS;
import static io.rdma4j.hw.pvrdma.WcStatus.PVRDMA_WC_WR_FLUSH_ERR;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_LOCAL_INV;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_READ_WITH_INV;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_RDMA_WRITE;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND_WITH_INV;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawFastRegion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.device.raw.RawWindow;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.WcFlags;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.testing.Patience;

import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Keys that are invalidated by work requests, here or by the peer. */
class InvalidateTest {
    private static final long IOVA = 0x40_0000;

    private final RawPair pair = RawPair.connected("emulated:invalidate");
    private final RawDriver driver = pair.driver;
    private final DmaMemory page = driver.page();

    @AfterEach
    void close() {
        pair.close();
    }

    private RawFastRegion fastRegion(int access) {
        final RawFastRegion region = driver.createFastRegion(1);
        region.list(page.iova());
        region.register(pair.b, IOVA, 4096, 1, access);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        return region;
    }

    private RawWindow window(int type) {
        final RawRegion region = driver.register(driver.pd, 4096, 0, PVRDMA_ACCESS_LOCAL_WRITE | PVRDMA_ACCESS_MW_BIND);
        final RawWindow window = driver.createMw(type);
        window.bind(pair.b, region, region.start(), 4096, PVRDMA_ACCESS_REMOTE_WRITE);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.write(region.start(), 8, window.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        return window;
    }

    private int invalidate(int rkey) {
        pair.b.post(w -> w.send(3, PVRDMA_WR_LOCAL_INV, PVRDMA_SEND_SIGNALED).invalidate(rkey));
        return pair.cqB.await().status();
    }

    private int sendAndInvalidate(int rkey) {
        pair.b.receive(70, pair.to.start(), 1000, pair.to.lkey);
        return pair.run(w -> w.send(4, PVRDMA_WR_SEND_WITH_INV, PVRDMA_SEND_SIGNALED).invalidate(rkey)
            .sge(pair.from.start(), 100, pair.from.lkey));
    }

    @Test
    void invalidatesAWindowOfType2HereAndBindsItAgain() {
        final RawWindow window = window(2);
        assertThat(invalidate(window.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.write(pair.to.start(), 8, window.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
        pair.restart();
        final RawRegion region = driver.register(driver.pd, 4096, 0, PVRDMA_ACCESS_LOCAL_WRITE | PVRDMA_ACCESS_MW_BIND);
        window.bind(pair.b, region, region.start(), 4096, PVRDMA_ACCESS_REMOTE_WRITE);
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.write(region.start(), 8, window.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
    }

    @Test
    void thePeerInvalidatesWithASendAndTheReceiverIsToldTheKey() {
        final RawWindow window = window(2);
        assertThat(sendAndInvalidate(window.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        final Completion told = pair.cqB.await();
        assertThat(told.status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(told.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_RECV);
        assertThat(told.flags()).isEqualTo(WcFlags.PVRDMA_WC_WITH_INVALIDATE);
        assertThat(told.imm()).isEqualTo(window.rkey);
        assertThat(told.byteLen()).isEqualTo(100);
        assertThat(pair.to.bytes(0, 100)).isEqualTo(pair.from.bytes(0, 100));
        assertThat(sendAndInvalidate(window.rkey)).as("a second time").isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void thePeerInvalidatesAFastRegion() {
        final RawFastRegion region = fastRegion(ALL);
        assertThat(pair.write(IOVA, 8, region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(sendAndInvalidate(region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.cqB.await().imm()).isEqualTo(region.rkey);
        region.register(pair.b, IOVA, 4096, 1, ALL);
        assertThat(pair.cqB.await().status()).as("free again").isEqualTo(PVRDMA_WC_SUCCESS);
    }

    @Test
    void refusesToInvalidateHereWhatIsNotInvalidated() {
        final int[] keys = {pair.to.rkey, pair.to.lkey, window(1).rkey, 0, -1, 0x0123_4500, driver.createMw(2).rkey,
            driver.createFastRegion(1).rkey, driver.createFastRegion(driver.createPd(), 1).rkey};
        for (int key : keys) {
            assertThat(invalidate(key)).as("key 0x%x", key).isEqualTo(PVRDMA_WC_MW_BIND_ERR);
            assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
            pair.restart();
        }
        final RawFastRegion region = fastRegion(ALL);
        assertThat(invalidate(region.rkey ^ 1)).as("another low byte").isEqualTo(PVRDMA_WC_MW_BIND_ERR);
        pair.restart();
        assertThat(invalidate(region.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
    }

    @Test
    void refusesThePeerWhatItMayNotInvalidate() {
        final RawFastRegion local = fastRegion(PVRDMA_ACCESS_LOCAL_WRITE);
        final int[] keys = {pair.to.rkey, window(1).rkey, 0, local.rkey, local.lkey, driver.createMw(2).rkey};
        final RawEvents events = new RawEvents(driver);
        for (int key : keys) {
            pair.to.put(0, 0x77);
            assertThat(sendAndInvalidate(key)).as("key 0x%x", key).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
            assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
            assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
            assertThat(pair.cqB.await().status()).as("the receive").isEqualTo(PVRDMA_WC_WR_FLUSH_ERR);
            assertThat(pair.to.get(0)).as("nothing was placed").isEqualTo((byte) 0x77);
            assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_QP_ACCESS_ERR,
                pair.b.handle));
            pair.restart();
        }
        assertThat(invalidate(local.rkey)).as("still valid").isEqualTo(PVRDMA_WC_SUCCESS);
    }

    @Test
    void aWindowOfType2IsNotInvalidatedByAnotherQueuePair() {
        final RawQp c = driver.createQp(RawQp.with().cq(pair.cqA));
        final RawQp d = driver.createQp(RawQp.with().cq(pair.cqB));
        RawQp.connect(c, d);
        final RawWindow window = window(2);
        d.post(w -> w.send(3, PVRDMA_WR_LOCAL_INV, PVRDMA_SEND_SIGNALED).invalidate(window.rkey));
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_MW_BIND_ERR);
        assertThat(invalidate(window.rkey)).isEqualTo(PVRDMA_WC_SUCCESS);
    }

    @Test
    void readsThenInvalidatesTheLocalKey() {
        final RawFastRegion sink = fastRegion(ALL);
        pair.a.receive(1, pair.from.start(), 10, pair.from.lkey);
        pair.b.post(w -> w.send(6, PVRDMA_WR_RDMA_READ_WITH_INV, PVRDMA_SEND_SIGNALED).invalidate(sink.rkey)
            .rdma(pair.from.start(), pair.from.rkey).sge(IOVA, 1000, sink.lkey));
        final Completion done = pair.cqB.await();
        assertThat(done.status()).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(done.opcode()).isEqualTo(WcOpcode.PVRDMA_WC_RDMA_READ);
        assertThat(done.byteLen()).isEqualTo(1000);
        for (int i = 0; i < 1000; i++) {
            assertThat(page.buffer().getByte(i)).isEqualTo(pair.from.get(i));
        }
        assertThat(pair.write(IOVA, 1, sink.rkey)).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }

    @Test
    void readsNothingIfTheLocalKeyCannotBeInvalidated() {
        pair.b.post(w -> w.send(6, PVRDMA_WR_RDMA_READ_WITH_INV, PVRDMA_SEND_SIGNALED).invalidate(pair.to.rkey)
            .rdma(pair.from.start(), pair.from.rkey).sge(pair.to.start(), 1000, pair.to.lkey));
        assertThat(pair.cqB.await().status()).isEqualTo(PVRDMA_WC_MW_BIND_ERR);
        assertThat(pair.to.bytes(0, 1000)).containsOnly(0);
    }

    @Test
    void theSourceOfASendMayBeWhatItInvalidates() {
        final RawFastRegion region = fastRegion(ALL);
        page.buffer().putLong(0, 0x1234_5678_9abcL);
        pair.b.receive(70, pair.to.start(), 1000, pair.to.lkey);
        assertThat(pair.run(w -> w.send(4, PVRDMA_WR_SEND_WITH_INV, PVRDMA_SEND_SIGNALED).invalidate(region.rkey)
            .sge(IOVA, 8, region.lkey))).isEqualTo(PVRDMA_WC_SUCCESS);
        assertThat(pair.to.getLong(0)).isEqualTo(0x1234_5678_9abcL);
    }

    @Test
    void isNotPossibleOnDatagrams() {
        try (RawPair datagrams = RawPair.datagrams("emulated:invalidateud")) {
            for (int opcode : new int[] {PVRDMA_WR_LOCAL_INV, PVRDMA_WR_SEND_WITH_INV, PVRDMA_WR_RDMA_READ_WITH_INV}) {
                datagrams.a.post(w -> w.send(5, opcode, PVRDMA_SEND_SIGNALED));
                assertThat(datagrams.cqA.await().status()).isEqualTo(PVRDMA_WC_LOC_QP_OP_ERR);
                datagrams.restart();
            }
        }
    }

    /**
     * A peer writes without a pause while the window is taken away: from the completion on, the memory does not change.
     */
    @Test
    @Timeout(60)
    void nothingIsWrittenFromTheCompletionOn() throws InterruptedException {
        final RawRegion region = driver.register(driver.pd, 60_000, 0, PVRDMA_ACCESS_LOCAL_WRITE
            | PVRDMA_ACCESS_MW_BIND);
        final RawRegion source = driver.register(driver.pd, 60_000, 0, ALL);
        final RawWindow window = driver.createMw(1);
        final RawCq binds = driver.createCq(16);
        final RawQp binder = driver.createQp(RawQp.with().cq(binds));
        binder.connect(pair.a.qpn, driver.gid());
        for (int round = 0; round < 30; round++) {
            window.bind(binder, region, region.start(), 60_000, PVRDMA_ACCESS_REMOTE_WRITE);
            assertThat(binds.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
            final AtomicBoolean first = new AtomicBoolean();
            final int rkey = window.rkey;
            final Thread writer = new Thread(() -> writeUntilRefused(source, region, rkey, first));
            writer.start();
            while (!first.get()) {
                Patience.pause();
            }
            window.bind(binder, null, 0, 0, 0);
            assertThat(binds.await().status()).isEqualTo(PVRDMA_WC_SUCCESS);
            region.putLong(0, round);
            region.putLong(59_992, ~round);
            writer.join();
            assertThat(region.getLong(0)).isEqualTo(round);
            assertThat(region.getLong(59_992)).isEqualTo(~round);
            pair.restart();
        }
    }

    private void writeUntilRefused(RawRegion source, RawRegion region, int rkey, AtomicBoolean first) {
        int status = PVRDMA_WC_SUCCESS;
        for (int i = 0; status == PVRDMA_WC_SUCCESS; i++) {
            source.putLong(0, -1000 - i);
            pair.a.post(w -> w.send(1, PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED).rdma(region.start(), rkey)
                .sge(source.start(), 60_000, source.lkey));
            status = pair.cqA.await().status();
            first.set(true);
        }
        assertThat(status).isEqualTo(PVRDMA_WC_REM_ACCESS_ERR);
    }
}
