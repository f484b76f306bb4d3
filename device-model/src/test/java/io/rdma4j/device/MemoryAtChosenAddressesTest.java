/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.device.raw.RawCq;
import io.rdma4j.device.raw.RawDriver;
import io.rdma4j.device.raw.RawQp;
import io.rdma4j.device.raw.RawRegion;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.MrFlags;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateCqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory is where the bus says, as in a machine of which page 0 is memory. */
class MemoryAtChosenAddressesTest {
    private static final int EINVAL = -22;
    private static final int PAGE = Pdir.PAGE_SIZE;
    private static final int PAGES = 4;

    private final RawDriver driver = new RawDriver("emulated:chosen");
    private final UnsafeBuffer memory = new UnsafeBuffer(BufferUtil.allocateDirectAligned(PAGES * PAGE, PAGE));

    @AfterEach
    void close() {
        driver.close();
    }

    private void map(long iova) {
        driver.device().mapMemory(iova, memory.addressOffset(), PAGES * PAGE);
    }

    private void ready() {
        driver.load();
        driver.activate();
        driver.pd = driver.createPd();
    }

    /** The message arrives in what the application calls its buffer, and the device finds at 0. */
    @Test
    void aRegionHasPageZero() {
        final RawDriver other = RawDriver.ready("emulated:other");
        try {
            other.device().mapMemory(0, memory.addressOffset(), PAGES * PAGE);
            final long pdir = other.pdir(PAGE, 0);
            final CreateMrResponse made = new CreateMrResponse().wrap(other.ok(Command.CREATE_MR,
                b -> new CreateMrRequest().wrap(b, 0).set(CreateMrRequest.PD_HANDLE, other.pd)
                    .set(CreateMrRequest.START, 0x7000).set(CreateMrRequest.LENGTH, 2 * PAGE)
                    .set(CreateMrRequest.ACCESS_FLAGS, 1).set(CreateMrRequest.PDIR_DMA, pdir)
                    .set(CreateMrRequest.NCHUNKS, 2)), 0);
            receive(other, 0x7000 + PAGE - 100, made.get(CreateMrResponse.LKEY));
            assertThat(memory.getByte(2 * PAGE - 100)).isEqualTo((byte) RawRegion.pattern(5, 0));
            assertThat(memory.getByte(0)).isEqualTo((byte) RawRegion.pattern(5, 100));
        } finally {
            other.close();
        }
    }

    private static void receive(RawDriver driver, long address, int lkey) {
        final RawCq cq = driver.createCq(16);
        final RawQp a = driver.createQp(RawQp.with().cq(cq));
        final RawQp b = driver.createQp(RawQp.with().cq(cq));
        RawQp.connect(a, b);
        final RawRegion from = driver.register(500, 0);
        from.fill(5);
        b.receive(1, address, 500, lkey);
        a.send(2, from.start(), 500, from.lkey);
        assertThat(cq.await().status()).isZero();
        assertThat(cq.await().status()).isZero();
    }

    @Test
    void aRegionOfAllMemoryReachesAddressZero() {
        final RawDriver other = RawDriver.ready("emulated:other");
        try {
            other.device().mapMemory(0, memory.addressOffset(), PAGES * PAGE);
            final int lkey = new CreateMrResponse().wrap(other.ok(Command.CREATE_MR,
                b -> new CreateMrRequest().wrap(b, 0).set(CreateMrRequest.PD_HANDLE, other.pd)
                    .set(CreateMrRequest.FLAGS, MrFlags.PVRDMA_MR_FLAG_DMA).set(CreateMrRequest.ACCESS_FLAGS, 1)), 0)
                .get(CreateMrResponse.LKEY);
            receive(other, 0, lkey);
            assertThat(memory.getByte(0)).isEqualTo((byte) RawRegion.pattern(5, 0));
        } finally {
            other.close();
        }
    }

    private int createCq(long pdir) {
        return driver.run(Command.CREATE_CQ, b -> new CreateCqRequest().wrap(b, 0)
            .set(CreateCqRequest.PDIR_DMA, pdir).set(CreateCqRequest.CQE, 16).set(CreateCqRequest.NCHUNKS, 2));
    }

    /** Directory, table and ring. */
    @Test
    void aRingMayHavePageZeroAnywhere() {
        map(0);
        ready();
        final long table = driver.page().iova();
        memory.putLong(0, table);
        driver.device().unmapMemory(0, PAGES * PAGE);
        assertThat(createCq(0)).as("nothing is there").isEqualTo(EINVAL);
        assertThat(createCq(driver.pdir(driver.page().iova(), 0))).as("nothing is there").isEqualTo(EINVAL);
        map(0);
        assertThat(createCq(driver.pdir(driver.page().iova(), 0))).isZero();
        memory.putLong(0, PAGE);
        memory.putLong(PAGE, 2 * PAGE);
        memory.putLong(PAGE + 8, 3 * PAGE);
        assertThat(createCq(0)).isZero();
        memory.putLong(8, 0);
        memory.putLong(PAGE, 0);
        assertThat(createCq(0)).as("its state page is the directory").isZero();
        memory.putLong(0, 0);
        assertThat(createCq(8)).as("not a page").isEqualTo(EINVAL);
    }

    @Test
    void theSharedRegionMayBeAtZero() {
        map(0);
        memory.putBytes(0, driver.dsrMemory.buffer(), 0, Dsr.LAYOUT.length());
        driver.registers.writeInt(0x04, 0);
        driver.registers.writeInt(0x08, 0);
        assertThat(driver.err()).isZero();
        assertThat(new Dsr().wrap(memory, 0).get(Dsr.CAPS).get(Caps.MAX_QP)).isPositive();
        assertThat(driver.activate()).isZero();
        assertThat(driver.createPd()).isPositive();
    }

    @Test
    void nothingIsThereBeforeAndAfter() {
        driver.registers.writeInt(0x04, 0);
        driver.registers.writeInt(0x08, 0);
        assertThat(driver.activate()).isNotZero();
        assertThatThrownBy(() -> driver.device().unmapMemory(0, PAGE)).isInstanceOf(RdmaException.class);
    }

    @Test
    void takesWholePagesThatAreFree() {
        map(0);
        assertThatThrownBy(() -> map(PAGE)).isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("overlaps");
        assertThatThrownBy(() -> map(0x8000_0800L)).hasMessageContaining("whole pages");
        assertThatThrownBy(() -> map(Long.MAX_VALUE & -PAGE)).hasMessageContaining("whole pages");
        assertThatThrownBy(() -> driver.device().unmapMemory(0, PAGE)).hasMessageContaining("EINVAL");
        driver.device().unmapMemory(0, 2L * PAGES * PAGE);
        map(PAGE);
    }
}
