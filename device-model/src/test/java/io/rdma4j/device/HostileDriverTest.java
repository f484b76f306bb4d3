/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static io.rdma4j.hw.pvrdma.SendFlags.PVRDMA_SEND_SIGNALED;
import static io.rdma4j.hw.pvrdma.WrOpcode.PVRDMA_WR_SEND;
import static io.rdma4j.hw.pvrdma.cmd.CreateQpRequest.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.memory.EmulatedIommu;
import io.rdma4j.device.raw.RawCq.Completion;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawEvents;
import io.rdma4j.device.raw.RawFastRegion;
import io.rdma4j.device.raw.RawPair;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.MrFlags;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.QpState;
import io.rdma4j.hw.pvrdma.QpType;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.hw.pvrdma.WrOpcode;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateCqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;
import io.rdma4j.hw.pvrdma.cmd.CreateMwRequest;
import io.rdma4j.hw.pvrdma.cmd.CreatePdRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateQpRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateSrqRequest;
import io.rdma4j.hw.pvrdma.cmd.QpAttr;
import io.rdma4j.hw.pvrdma.cmd.ResizeCqRingRequest;
import io.rdma4j.hw.pvrdma.cmd.SrqAttr;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fault classes that cost QEMU's device its eleven CVEs, one test each, and their relatives. */
class HostileDriverTest {
    private static final int EINVAL = -22;

    private final RawPair pair = RawPair.connected("emulated:hostile");
    private final RawDriver driver = pair.driver;

    @AfterEach
    void close() {
        pair.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 1000, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void refusesMoreSgesThanTheQueueHas(int count) {
        pair.a.post(w -> {
            w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED);
            SqWqe.numSge(w.page(), w.at(), count);
        });
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
        assertThat(driver.device().violations()).isEqualTo(1);
    }

    /** Pages that repeat cost a driver three, however many they are called. */
    @ParameterizedTest
    @ValueSource(strings = {"CREATE_CQ", "RESIZE_CQ_RING", "CREATE_SRQ", "CREATE_QP"})
    void pagesThatARingDoesNotUseCostAWordEach(Command what) {
        final long pdir = driver.repeatingPdir();
        final int pages = what == Command.CREATE_QP ? 0xffff : Pdir.MAX_PAGES;
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final long before = threads.getCurrentThreadAllocatedBytes();
        driver.ok(what, switch (what) {
            case CREATE_CQ -> b -> new CreateCqRequest().wrap(b, 0).set(CreateCqRequest.PDIR_DMA, pdir)
                .set(CreateCqRequest.CQE, 1).set(CreateCqRequest.NCHUNKS, pages);
            case RESIZE_CQ_RING -> b -> new ResizeCqRingRequest().wrap(b, 0)
                .set(ResizeCqRingRequest.CQ_HANDLE, pair.cqA.handle).set(ResizeCqRingRequest.CQE, 1)
                .set(ResizeCqRingRequest.PDIR_DMA, pdir).set(ResizeCqRingRequest.NCHUNKS, pages);
            case CREATE_SRQ -> driver.srqRequest(1, 1, pdir, pages);
            default -> b -> new CreateQpRequest().wrap(b, 0).set(PDIR_DMA, pdir)
                .set(PD_HANDLE, driver.pd).set(SEND_CQ_HANDLE, pair.cqA.handle)
                .set(RECV_CQ_HANDLE, pair.cqA.handle).set(MAX_SEND_WR, 1).set(MAX_SEND_SGE, 1).set(MAX_RECV_WR, 1)
                .set(MAX_RECV_SGE, 1).set(TOTAL_CHUNKS, pages).set(SEND_CHUNKS, pages - 2)
                .set(QP_TYPE, QpType.PVRDMA_QPT_RC);
        });
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(2L * Long.BYTES * pages);
    }

    @Test
    void refusesMoreSgesOfAReceiveThanTheQueueHas() {
        pair.b.receiveRaw(w -> RqWqe.header(w.page(), w.at(), 5, 0x1000_0000));
        pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(pair.cqB.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_LOC_QP_OP_ERR);
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_REM_OP_ERR);
    }

    /** A translation that is looked up twice could be there the first time only. */
    @Test
    @Timeout(60)
    void reachesOnlyWhatIsMappedWhileBusMasteringComesAndGoes() throws InterruptedException {
        final CreateMrResponse all = new CreateMrResponse().wrap(driver.ok(Command.CREATE_MR,
            b -> new CreateMrRequest().wrap(b, 0).set(CreateMrRequest.PD_HANDLE, driver.pd)
                .set(CreateMrRequest.FLAGS, MrFlags.PVRDMA_MR_FLAG_DMA).set(CreateMrRequest.ACCESS_FLAGS, 1)), 0);
        final int lkey = all.get(CreateMrResponse.LKEY);
        final long iova = driver.page().iova();
        final AtomicBoolean stop = new AtomicBoolean();
        final Thread switcher = new Thread(() -> {
            while (!stop.get()) {
                driver.pci.config().write(PciConfig.COMMAND_OFFSET, 2, PciConfig.MEMORY);
                driver.pci.config().write(PciConfig.COMMAND_OFFSET, 2, PciConfig.MEMORY | PciConfig.BUS_MASTER);
                LockSupport.parkNanos(50_000);
            }
        });
        switcher.start();
        for (int i = 0; i < 2000; i++) {
            pair.a.post(w -> w.send(1, WrOpcode.PVRDMA_WR_RDMA_WRITE, PVRDMA_SEND_SIGNALED)
                .rdma(pair.to.start(), pair.to.rkey).sge(iova, 512, lkey).sge(iova + 512, 512, lkey)
                .sge(iova + 1024, 512, lkey).sge(iova + 1536, 512, lkey));
            if (pair.cqA.poll() == null || i % 50 == 49) {
                restart();
            }
        }
        stop.set(true);
        switcher.join();
        assertThat(driver.run(Command.CREATE_PD, b -> new CreatePdRequest().wrap(b, 0))).isZero();
    }

    /** Commands fail too while the device may not reach memory. */
    private void restart() {
        for (int i = 0; i < 1000; i++) {
            try {
                pair.restart();
                return;
            } catch (final AssertionError e) {
                Thread.onSpinWait();
            }
        }
    }

    private int createCq(Consumer<CreateCqRequest> change) {
        final long pdir = driver.pdir(driver.page().iova(), driver.page().iova());
        return driver.run(Command.CREATE_CQ,
            b -> change.accept(new CreateCqRequest().wrap(b, 0).set(CreateCqRequest.PDIR_DMA, pdir)
                .set(CreateCqRequest.CQE, 64).set(CreateCqRequest.NCHUNKS, 2)));
    }

    @Test
    void refusesOversizedCompletionQueues() {
        assertThat(createCq(r -> r.set(CreateCqRequest.CQE, 128))).isEqualTo(EINVAL);
        assertThat(createCq(r -> r.set(CreateCqRequest.CQE, 1 << 30)
            .set(CreateCqRequest.NCHUNKS, -1))).isEqualTo(EINVAL);
        assertThat(createCq(r -> r.set(CreateCqRequest.CQE, -64))).isEqualTo(EINVAL);
        assertThat(createCq(r -> r.set(CreateCqRequest.CQE, 0))).isEqualTo(EINVAL);
        assertThat(createCq(r -> r.set(CreateCqRequest.CQE, 63))).isEqualTo(EINVAL);
        assertThat(createCq(r -> r.set(CreateCqRequest.NCHUNKS, 1))).isEqualTo(EINVAL);
        assertThat(createCq(r -> r.set(CreateCqRequest.NCHUNKS, 0))).isEqualTo(EINVAL);
        assertThat(createCq(r -> r.set(CreateCqRequest.NCHUNKS, Integer.MAX_VALUE))).isEqualTo(EINVAL);
        assertThat(createCq(r -> r.set(CreateCqRequest.NCHUNKS, -2))).isEqualTo(EINVAL);
        assertThat(createCq(r -> r.set(CreateCqRequest.NCHUNKS, 3))).as("a page of the ring is at 0").isEqualTo(EINVAL);
        assertThat(createCq(r -> r.set(CreateCqRequest.PDIR_DMA, 0))).isEqualTo(EINVAL);
        assertThat(createCq(r -> r.set(CreateCqRequest.PDIR_DMA, -1))).isEqualTo(EINVAL);
        assertThat(createCq(r -> { })).isZero();
    }

    private int createQp(Consumer<CreateQpRequest> change) {
        final long pdir = driver.pdir(driver.page().iova(), driver.page().iova(), driver.page().iova());
        return driver.run(Command.CREATE_QP, b -> change.accept(new CreateQpRequest().wrap(b, 0).set(PDIR_DMA, pdir)
            .set(PD_HANDLE, driver.pd).set(SEND_CQ_HANDLE, pair.cqA.handle).set(RECV_CQ_HANDLE, pair.cqA.handle)
            .set(MAX_SEND_WR, 32).set(MAX_RECV_WR, 64).set(MAX_SEND_SGE, 1)
            .set(MAX_RECV_SGE, 2).set(TOTAL_CHUNKS, 3).set(SEND_CHUNKS, 1).set(QP_TYPE, 2)));
    }

    @Test
    void refusesOversizedQueuePairs() {
        assertThat(createQp(r -> r.set(MAX_SEND_WR, 64))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(MAX_RECV_WR, 128))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(MAX_SEND_SGE, 4))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(MAX_RECV_SGE, 4))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(MAX_SEND_SGE, 17))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(MAX_SEND_SGE, 0))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(MAX_SEND_SGE, -1))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(MAX_SEND_WR, 0))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(MAX_SEND_WR, 31))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(MAX_SEND_WR, 1 << 30).set(SEND_CHUNKS, 65535))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(SEND_CHUNKS, 0))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(SEND_CHUNKS, 2))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(SEND_CHUNKS, 65535))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(TOTAL_CHUNKS, 0))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(TOTAL_CHUNKS, 65535))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(SEND_CQ_HANDLE, 3))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(RECV_CQ_HANDLE, -1))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(PD_HANDLE, 0))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(IS_SRQ, 1).set(SRQ_HANDLE, 9))).isEqualTo(EINVAL);
        assertThat(createQp(r -> r.set(QP_TYPE, 3))).isEqualTo(-95);
        assertThat(createQp(r -> r.set(QP_TYPE, 99))).isEqualTo(-95);
        assertThat(createQp(r -> { })).isZero();
    }

    @Test
    void leaksNothingWhenARingCannotBeMade() {
        final long before = driver.pci.dma().reachableBytes();
        final long pdir = driver.pdir(driver.page().iova(), driver.page().iova());
        for (int i = 0; i < 10_000; i++) {
            assertThat(driver.run(Command.CREATE_CQ, b -> new CreateCqRequest().wrap(b, 0)
                .set(CreateCqRequest.PDIR_DMA, pdir).set(CreateCqRequest.CQE, 64)
                .set(CreateCqRequest.NCHUNKS, 3))).isEqualTo(EINVAL);
        }
        for (int i = 0; i < 4000; i++) {
            assertThat(driver.run(Command.CREATE_CQ, b -> new CreateCqRequest().wrap(b, 0)
                .set(CreateCqRequest.PDIR_DMA, pdir).set(CreateCqRequest.CQE, 64)
                .set(CreateCqRequest.NCHUNKS, 2))).isZero();
        }
        assertThat(driver.pci.dma().reachableBytes() - before).isLessThan(10 * 4096);
    }

    @Test
    void givesEverythingBackWhenItIsClosedInTheMiddle() {
        pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        driver.close();
        try (RawDriver again = RawDriver.ready("emulated:hostile")) {
            assertThat(again.device().describe()).contains("regions 0");
        }
        pair.a.ringSend();
        driver.close();
    }

    @Test
    void answersReadsOfDoorbells() {
        assertThat(driver.uar.readInt(0)).isZero();
        assertThat(driver.uar.readInt(8 * 1024 * 1024 - 4)).isZero();
        assertThatThrownBy(() -> driver.uar.readInt(8 * 1024 * 1024)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> driver.uar.writeInt(2, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 33, -1, Integer.MIN_VALUE, 0x7fff_ffff, 17})
    void stopsAtBadRingIndices(int tail) {
        final RawEvents events = new RawEvents(driver);
        pair.a.ring.state().putInt(RingState.TX_PROD_TAIL_OFFSET, tail);
        pair.a.ringSend();
        pair.a.ringSend();
        assertThat(pair.a.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_QP_FATAL, pair.a.handle));
        assertThat(pair.count(Counter.CORRUPT_RINGS)).isPositive();
    }

    @Test
    void stopsAtABadReceiveIndex() {
        pair.b.ring.state().putInt(RingState.RX_PROD_TAIL_OFFSET, 0x4000_0000);
        pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
        assertThat(pair.cqA.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_REM_OP_ERR);
        assertThat(pair.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
        assertThat(pair.count(Counter.CORRUPT_RINGS)).isEqualTo(1);
    }

    /** The sender of a datagram learns nothing of it. */
    @Test
    void stopsAtABadReceiveIndexOfDatagrams() {
        try (RawPair ud = RawPair.datagrams("emulated:hostileud")) {
            final RawEvents events = new RawEvents(ud.driver);
            ud.b.ring.state().putInt(RingState.RX_PROD_TAIL_OFFSET, 0x4000_0000);
            assertThat(ud.run(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED).datagram(ud.driver.pd, ud.b.qpn,
                RawQp.QKEY, ud.driver.gid()))).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
            assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_QP_FATAL, ud.b.handle));
            assertThat(ud.b.query().get(QpAttr.QP_STATE)).isEqualTo(QpState.PVRDMA_QPS_ERR);
            assertThat(ud.count(Counter.CORRUPT_RINGS)).isEqualTo(1);
        }
    }

    /** Each request is an addition to the index of the ring that it lies in, and so posts the next one. */
    @Test
    void aRingThatFeedsItselfIsLeftAfterOneRound() {
        final int wrs = 16;
        final long start = 0x5000_0000L;
        final long pdir = driver.pdir(pair.a.ring.memory(0).iova());
        final int rkey = new CreateMrResponse().wrap(driver.ok(Command.CREATE_MR,
            b -> new CreateMrRequest().wrap(b, 0).set(CreateMrRequest.PD_HANDLE, driver.pd)
                .set(CreateMrRequest.START, start).set(CreateMrRequest.LENGTH, 4096)
                .set(CreateMrRequest.ACCESS_FLAGS, RawPair.ALL).set(CreateMrRequest.PDIR_DMA, pdir)
                .set(CreateMrRequest.NCHUNKS, 1)), 0).get(CreateMrResponse.RKEY);
        for (int i = 0; i < wrs; i++) {
            final int id = i;
            pair.a.write(w -> w.send(id, WrOpcode.PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD, PVRDMA_SEND_SIGNALED)
                .maskedAdd(start + RingState.TX_PROD_TAIL_OFFSET, rkey, 1, wrs)
                .sge(pair.from.start(), 8, pair.from.lkey));
        }
        pair.a.ring.state().putInt(RingState.TX_PROD_TAIL_OFFSET, 1);
        for (int round = 0; round < 2; round++) {
            pair.a.ringSend();
            for (int i = 0; i < wrs; i++) {
                assertThat(pair.cqA.poll()).matches(c -> c.status() == WcStatus.PVRDMA_WC_SUCCESS)
                    .extracting(Completion::wrId).isEqualTo((long) i);
            }
            assertThat(pair.cqA.poll()).isNull();
        }
    }

    @Test
    void stopsAtABadCompletionQueueIndex() {
        final RawEvents events = new RawEvents(driver);
        pair.cqB.ring.state().putInt(RingState.RX_CONS_HEAD_OFFSET, 0x0123_4567);
        for (int i = 0; i < 200; i++) {
            pair.b.receive(i, new long[0][]);
            pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, 0));
            // Where the sender has time to give up, all of its sends are flushed: more than its own queue holds.
            while (pair.cqA.poll() != null) {
                Thread.onSpinWait();
            }
        }
        assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_CQ_ERR, pair.cqB.handle));
        assertThat(events.poll()).isEqualTo(new RawEvents.Event(EventType.PVRDMA_EVENT_QP_FATAL, pair.b.handle));
        assertThat(events.poll()).isNull();
    }

    @Test
    void ignoresAConsumerIndexThatTheDriverRewrites() {
        for (int i = 0; i < 40; i++) {
            pair.b.receive(i, new long[0][]);
            pair.a.ring.state().putInt(RingState.TX_CONS_HEAD_OFFSET, 0x5555_5555);
            pair.a.post(w -> w.send(1, PVRDMA_WR_SEND, PVRDMA_SEND_SIGNALED));
            assertThat(pair.cqA.poll().status()).isZero();
        }
    }

    @Test
    void aPageListThatLeadsToItselfIsOnlyAPageList() {
        final DmaMemory page = driver.page();
        page.buffer().putLong(0, page.iova());
        final RawFastRegion region = driver.createFastRegion(1);
        pair.b.post(w -> w.send(1, WrOpcode.PVRDMA_WR_FAST_REG_MR, PVRDMA_SEND_SIGNALED)
            .fastRegister(region.rkey, 0, page.iova(), 1, 4096, RawPair.ALL));
        assertThat(pair.cqB.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(pair.write(8, 8, region.rkey)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(page.buffer().getLong(8)).isEqualTo(pair.from.getLong(0));
        assertThat(page.buffer().getLong(0)).isEqualTo(page.iova());
    }

    @Test
    void aPeerCannotWriteItselfIntoAPageListThatIsInUse() {
        final DmaMemory list = driver.page();
        final DmaMemory directory = driver.page();
        final DmaMemory page = driver.page();
        directory.buffer().putLong(0, list.iova());
        list.buffer().putLong(0, page.iova());
        final RawFastRegion region = driver.createFastRegion(1);
        pair.b.post(w -> w.send(1, WrOpcode.PVRDMA_WR_FAST_REG_MR, PVRDMA_SEND_SIGNALED)
            .fastRegister(region.rkey, 0, directory.iova(), 1, 4096, RawPair.ALL));
        list.buffer().putLong(0, -1);
        directory.buffer().putLong(0, -1);
        assertThat(pair.write(8, 8, region.rkey)).isEqualTo(WcStatus.PVRDMA_WC_SUCCESS);
        assertThat(page.buffer().getLong(8)).isEqualTo(pair.from.getLong(0));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, -1, 4095, 4097, 1L << 62, Long.MIN_VALUE, -4096, 0x7777_7777_7000L})
    void refusesPageListsAtAddressesThatAreNone(long pdir) {
        final RawFastRegion region = driver.createFastRegion(512);
        pair.b.post(w -> w.send(1, WrOpcode.PVRDMA_WR_FAST_REG_MR, PVRDMA_SEND_SIGNALED)
            .fastRegister(region.rkey, 0, pdir, 512, 512 * 4096, RawPair.ALL));
        assertThat(pair.cqB.poll().status()).isEqualTo(WcStatus.PVRDMA_WC_MW_BIND_ERR);
    }

    @Test
    void refusesWindowsOfNothing() {
        for (int bad : new int[] {0, -1, driver.pd + 1, Integer.MIN_VALUE}) {
            assertThat(driver.run(Command.CREATE_MW, b -> new CreateMwRequest().wrap(b, 0)
                .set(CreateMwRequest.PD_HANDLE, bad).set(CreateMwRequest.TYPE, 1))).isEqualTo(EINVAL);
            assertThat(driver.destroy(Command.DESTROY_MW, bad)).isEqualTo(EINVAL);
        }
    }

    @Test
    void refusesRegionsWhosePageCountOverflows() {
        final long pdir = driver.pdir(driver.page().iova());
        for (int chunks : new int[] {0x10_0000, 0x10_0001, -1, Integer.MIN_VALUE, 0}) {
            for (long length : new long[] {4096, 1L << 32, 0x1_0000_1000L, Long.MAX_VALUE, -4096}) {
                assertThat(driver.run(Command.CREATE_MR, b -> new CreateMrRequest().wrap(b, 0)
                    .set(CreateMrRequest.PD_HANDLE, driver.pd)
                    .set(CreateMrRequest.START, 0x1000).set(CreateMrRequest.LENGTH, length)
                    .set(CreateMrRequest.PDIR_DMA, pdir).set(CreateMrRequest.NCHUNKS, chunks))).isEqualTo(EINVAL);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 513, 100_000, Integer.MAX_VALUE, -1, Integer.MIN_VALUE})
    void refusesEventRingsOfAbsurdSizes(int pages) {
        try (RawDriver other = new RawDriver("emulated:rings")) {
            other.dsr.set(Dsr.ASYNC_RING_PAGES_NUM_PAGES, pages);
            other.load();
            assertThat(other.dsr.get(Dsr.CAPS).get(Caps.GID_TYPES)).isZero();
            assertThat(other.activate()).isNotZero();
            other.dsr.set(Dsr.ASYNC_RING_PAGES_NUM_PAGES, RawDriver.EVENT_PAGES)
                .set(Dsr.CQ_RING_PAGES_NUM_PAGES, pages);
            other.load();
            assertThat(other.activate()).isNotZero();
            assertThat(other.device().counters().get(Counter.BAD_DSR)).isEqualTo(2);
            other.dsr.set(Dsr.CQ_RING_PAGES_NUM_PAGES, RawDriver.EVENT_PAGES);
            other.load();
            assertThat(other.activate()).isZero();
        }
    }

    @Test
    void refusesToUnmapWhatWasNeverMapped() {
        final Counters counters = new Counters();
        final EmulatedIommu iommu = new EmulatedIommu(counters);
        assertThatThrownBy(() -> iommu.unmap(0x1000, 4096)).isInstanceOf(RdmaException.class);
        iommu.mapOnDemand(0x2000, 0x7000_0000, 8192);
        assertThatThrownBy(() -> iommu.unmap(0x2000, 4096)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> iommu.unmap(0x3000, 4096)).isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> iommu.unmap(0x2000, -4096)).isInstanceOf(RdmaException.class);
        iommu.mapOnDemand(0x6000, 0x7100_0000, 8192);
        assertThatThrownBy(() -> iommu.unmap(0x2000, 0x5000)).as("ends inside of the second mapping")
            .isInstanceOf(RdmaException.class);
        assertThatThrownBy(() -> iommu.unmap(0x3000, 0x5000)).as("begins inside of the first mapping")
            .isInstanceOf(RdmaException.class);
        assertThat(counters.get(Counter.BAD_UNMAPS)).isEqualTo(6);
        iommu.unmap(0x2000, 8192);
        iommu.unmap(0x6000, 8192);
    }

    @Test
    void answersACommandThatComesTooEarly() {
        try (RawDriver other = new RawDriver("emulated:early")) {
            assertThat(other.run(Command.CREATE_PD, b -> new CreatePdRequest().wrap(b, 0))).isEqualTo(0xffff);
            assertThat(other.activate()).isNotZero();
            other.dsr.set(Dsr.RESP_SLOT_DMA, 0);
            other.load();
            assertThat(other.activate()).isNotZero();
            other.dsr.set(Dsr.RESP_SLOT_DMA, other.response.iova()).set(Dsr.CMD_SLOT_DMA, 0x123);
            other.load();
            assertThat(other.run(Command.CREATE_PD, b -> new CreatePdRequest().wrap(b, 0))).isEqualTo(0xffff);
            other.dsr.set(Dsr.CMD_SLOT_DMA, other.command.iova());
            other.load();
            assertThat(other.run(Command.CREATE_PD, b -> new CreatePdRequest().wrap(b, 0)))
                .as("before ACTIVATE").isEqualTo(0xffff);
            assertThat(other.activate()).isZero();
            assertThat(other.run(Command.CREATE_PD, b -> new CreatePdRequest().wrap(b, 0))).isZero();
        }
    }

    @Test
    void acceptsRingsOfMorePagesThanOneTableHolds() {
        final long[] pages = new long[1 + 1024];
        final DmaMemory memory = driver.allocate(pages.length);
        for (int i = 0; i < pages.length; i++) {
            pages[i] = memory.iova() + 4096L * i;
        }
        final long pdir = driver.pdir(pages);
        assertThat(createCq(r -> r.set(CreateCqRequest.PDIR_DMA, pdir).set(CreateCqRequest.CQE, 1 << 16)
            .set(CreateCqRequest.NCHUNKS, pages.length))).isZero();
        assertThat(createCq(r -> r.set(CreateCqRequest.PDIR_DMA, pdir).set(CreateCqRequest.CQE, 1 << 17)
            .set(CreateCqRequest.NCHUNKS, 1 + 2048))).isEqualTo(EINVAL);
    }

    @Test
    void refusesAbsurdSharedReceiveQueues() {
        final long pdir = driver.pdir(driver.page().iova(), driver.page().iova());
        final int[][] absurd = {{0, 1, 2}, {3, 1, 2}, {1 << 30, 1, 2}, {-1, 1, 2}, {16, 0, 2}, {16, 17, 2}, {256, 1, 2},
            {16, 1, 1}, {16, 1, 0}, {16, -1, 2}};
        for (int[] values : absurd) {
            assertThat(driver.run(Command.CREATE_SRQ, b -> {
                final CreateSrqRequest request = new CreateSrqRequest().wrap(b, 0)
                    .set(CreateSrqRequest.PD_HANDLE, driver.pd).set(CreateSrqRequest.PDIR_DMA, pdir)
                    .set(CreateSrqRequest.NCHUNKS, values[2]);
                request.get(CreateSrqRequest.ATTRS).set(SrqAttr.MAX_WR, values[0]).set(SrqAttr.MAX_SGE, values[1]);
            })).isEqualTo(EINVAL);
        }
    }

    @Test
    void ignoresDoorbellsOfStrangers() {
        for (int register = 0; register < 4096; register += 4) {
            driver.uar.writeInt(register, 0xff12_3456);
            driver.uar.writeInt(4096 + register, 0xff00_0000 | pair.a.handle);
        }
        assertThat(pair.count(Counter.BAD_DOORBELLS)).isEqualTo(2048);
    }

    @Test
    void countsWritesToRegistersThatMeanNothing() {
        for (int register = 0; register < 256; register += 4) {
            if (register != 4 && register != 8 && register != 0x1c && register != 0xc) {
                driver.registers.writeInt(register, 0x55);
            }
        }
        driver.registers.writeInt(0xc, 77);
        assertThat(pair.count(Counter.BAD_REGISTER_WRITES)).isEqualTo(61);
        assertThat(driver.registers.readInt(0)).isEqualTo(20);
    }
}
