/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import static io.rdma4j.hw.pvrdma.Dsr.*;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.GosInfo;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;
import io.rdma4j.verbs.pvrdma.device.DeviceProfile;

import org.agrona.concurrent.UnsafeBuffer;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A device without a driver: brought up by the book, then commands as they are given and their answers as they come.
 * It works around nothing, unlike the driver, so that what a device really does can be seen. One thread.
 */
final class RawDevice implements AutoCloseable {
    private static final Duration LATE_RESPONSE = Duration.ofMillis(500);

    private final PciDevice pci;
    private final Bar registers;
    private final Bar uar;
    private final DmaMemory slots;
    private final UnsafeBuffer dsr;
    private final UnsafeBuffer command;
    private final UnsafeBuffer response;
    private final RawPages asyncRing;
    private final RawPages cqRing;
    private long key = 0x5eed_0000_0000_0001L;

    /**
     * Brings the device up.
     *
     * @param pci the function; closed with this object, also if bringing it up fails.
     */
    RawDevice(final PciDevice pci) {
        this.pci = pci;
        try {
            registers = pci.bar(Bar1.REG_BAR);
            uar = pci.bar(Bar1.UAR_BAR);
            final int enable = PciConfig.MEMORY | PciConfig.BUS_MASTER;
            pci.config().write(PciConfig.COMMAND_OFFSET, 2, pci.config().read(PciConfig.COMMAND_OFFSET, 2) | enable);
            slots = pci.dma().allocate(3L * Pdir.PAGE_SIZE);
            dsr = slots.buffer(0, Pdir.PAGE_SIZE);
            command = slots.buffer(Pdir.PAGE_SIZE, Pdir.PAGE_SIZE);
            response = slots.buffer(2 * Pdir.PAGE_SIZE, Pdir.PAGE_SIZE);
            asyncRing = RawPages.scattered(pci.dma(), RingGeometry.LINUX_EVENT_RING_PAGES);
            cqRing = RawPages.scattered(pci.dma(), RingGeometry.LINUX_EVENT_RING_PAGES);
            start();
        } catch (final RuntimeException e) {
            pci.close();
            throw e;
        }
    }

    private void start() {
        dsr.setMemory(0, Pdir.PAGE_SIZE, (byte) 0);
        final Dsr region = new Dsr().wrap(dsr, 0)
            .set(DRIVER_VERSION, Bar1.DRIVER_VERSION).set(GOS_INFO, GosInfo.LINUX_64)
            .set(CMD_SLOT_DMA, slots.iova(Pdir.PAGE_SIZE))
            .set(RESP_SLOT_DMA, slots.iova(2L * Pdir.PAGE_SIZE))
            .set(ASYNC_RING_PAGES_NUM_PAGES, asyncRing.pages()).set(ASYNC_RING_PAGES_PDIR_DMA, asyncRing.directory())
            .set(CQ_RING_PAGES_NUM_PAGES, cqRing.pages()).set(CQ_RING_PAGES_PDIR_DMA, cqRing.directory());
        if (version() >= Bar1.PVRDMA_PPN64_VERSION) {
            region.set(UAR_PFN64, uarPfn());
        } else {
            region.uarPfn((int) uarPfn());
        }
        registers.writeInt(Bar1.PVRDMA_REG_DSRLOW, (int) slots.iova());
        registers.writeInt(Bar1.PVRDMA_REG_DSRHIGH, (int) (slots.iova() >>> Integer.SIZE));
        pci.interrupts().enable(Bar1.PVRDMA_MAX_INTERRUPTS);
        registers.writeInt(Bar1.PVRDMA_REG_IMR, Bar1.IMR_NONE_MASKED);
        registers.writeInt(Bar1.PVRDMA_REG_CTL, Bar1.PVRDMA_DEVICE_CTL_ACTIVATE);
        final int error = registers.readInt(Bar1.PVRDMA_REG_ERR);
        if (error != 0) {
            throw RdmaException.of("activate device").device(pci.address())
                .detail("ERR is 0x%x", error).errno(RdmaException.EIO).build();
        }
    }

    int version() {
        return registers.readInt(Bar1.PVRDMA_REG_VERSION);
    }

    /** Page frame number of the first doorbell page. */
    long uarPfn() {
        return uar.busAddress() >>> Pdir.PAGE_SHIFT;
    }

    Caps caps() {
        return new Dsr().wrap(dsr, 0).get(CAPS);
    }

    /** Which implementation of the device it is. */
    DeviceProfile profile() {
        return DeviceProfile.find(pci.config().read(PciConfig.SUBSYSTEM_VENDOR_ID_OFFSET, 2),
            pci.config().read(PciConfig.SUBSYSTEM_ID_OFFSET, 2), version());
    }

    PciDevice pci() {
        return pci;
    }

    /** Where the next request is to be put together; cleared. */
    UnsafeBuffer request() {
        command.setMemory(0, Command.REQUEST_MAX, (byte) 0);
        return command;
    }

    /** The response that came last; cleared before each request. */
    UnsafeBuffer response() {
        return response;
    }

    /**
     * Executes the request that stands in {@link #request()}.
     *
     * @param id      number of the command.
     * @param awaited whether a response is to be waited for if it is not there at once.
     * @return the ERR register.
     */
    int execute(final int id, final boolean awaited) {
        new CommandHeader().wrap(command, 0).set(CommandHeader.RESPONSE, ++key).set(CommandHeader.CMD, id);
        response.setMemory(0, Command.RESPONSE_MAX, (byte) 0);
        registers.writeInt(Bar1.PVRDMA_REG_REQUEST, 0);
        final int error = registers.readInt(Bar1.PVRDMA_REG_ERR);
        final long deadline = System.nanoTime() + LATE_RESPONSE.toNanos();
        while (awaited && error == 0 && !hasResponse() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(100_000);
        }
        return error;
    }

    boolean hasResponse() {
        return new ResponseHeader().wrap(response, 0).get(ResponseHeader.RESPONSE) == key;
    }

    void ring(final int offset, final int word) {
        uar.writeInt(offset, word);
    }

    /** Whether a vector fires within some time; firings before are counted too. */
    boolean fired(final int vector, final Duration time) {
        return pci.interrupts().vector(vector).await(time.toNanos()) > 0;
    }

    /** Forgets the firings of a vector so far. */
    void forget(final int vector) {
        pci.interrupts().vector(vector).poll();
    }

    @Override
    public void close() {
        registers.writeInt(Bar1.PVRDMA_REG_IMR, Bar1.IMR_ALL_MASKED);
        pci.interrupts().disable();
        registers.writeInt(Bar1.PVRDMA_REG_CTL, Bar1.PVRDMA_DEVICE_CTL_RESET);
        asyncRing.close();
        cqRing.close();
        slots.close();
        pci.close();
    }
}
