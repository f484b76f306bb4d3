/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import static io.rdma4j.hw.pvrdma.Dsr.*;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.InterruptVector;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.GidType;
import io.rdma4j.hw.pvrdma.GosInfo;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.QueryPortRequest;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;
import io.rdma4j.qemu.guest.ResultWriter;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Shows that the way to QEMU's pvrdma is open, below any driver: configuration space, registers, DMA both ways,
 * interrupts, the mad-chardev, and opening again. Runs in the fabric guest; reports with {@link ResultWriter}.
 */
public final class QtestSmokeMain {
    private static final int PAGES = 16;
    private static final long INTERRUPT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int READS = 200;

    private final ResultWriter results;
    private PciDevice pci;
    private DmaMemory memory;
    private Bar registers;

    private QtestSmokeMain(final ResultWriter results) {
        this.results = results;
    }

    /**
     * Entry point; the exit code is 1 if something failed.
     *
     * @param args none.
     * @throws IOException if results cannot be written.
     */
    public static void main(final String[] args) throws IOException {
        final Path log = Path.of(System.getProperty(ResultWriter.FOLDER_PROPERTY, "."), "qtest-qemu.log");
        final int failures;
        try (ResultWriter results = ResultWriter.open(System.out); QtestDevice device = QtestDevice.start(log)) {
            final QtestSmokeMain smoke = new QtestSmokeMain(results);
            smoke.run("qemu", smoke::qemuVersion);
            smoke.session(device);
            smoke.run("openAgain", () -> smoke.openAgain(device));
            failures = results.failures();
        }
        if (failures > 0) {
            Runtime.getRuntime().exit(1);
        }
    }

    /** One claim: returns what was seen, throws what was wrong. */
    private interface Claim {
        String check();
    }

    private void run(final String name, final Claim claim) {
        try {
            results.pass(name, claim.check());
        } catch (final RdmaException | IllegalStateException | IllegalArgumentException e) {
            results.fail(name, e + "\n" + pci);
        }
    }

    private static String require(final boolean holds, final String seen) {
        if (!holds) {
            throw new IllegalStateException(seen);
        }
        return seen;
    }

    private String qemuVersion() {
        final String version = QtestDevice.version();
        return require(version.startsWith("QEMU"), version);
    }

    private void session(final QtestDevice device) {
        try (PciDevice opened = PciDevices.open(device.address())) {
            pci = opened;
            registers = pci.bar(Bar1.REG_BAR);
            run("ids", this::ids);
            run("subsystem", this::subsystem);
            run("bars", this::bars);
            run("version", this::version);
            run("roundTrip", this::roundTrip);
            try (DmaMemory allocated = pci.dma().allocate((long) PAGES * Pdir.PAGE_SIZE)) {
                memory = allocated;
                run("map", this::map);
                run("foreignMemory", this::foreignMemory);
                run("dma", this::sharedRegion);
                run("interrupt", this::queryPort);
                run("madChardev", this::bind);
            }
        }
    }

    private String ids() {
        final int vendor = pci.config().read(PciConfig.VENDOR_ID_OFFSET, 2);
        final int device = pci.config().read(PciConfig.DEVICE_ID_OFFSET, 2);
        return require(vendor == Bar1.PVRDMA_VENDOR_ID && device == Bar1.PVRDMA_DEVICE_ID,
            String.format("%04x:%04x", vendor, device));
    }

    private String subsystem() {
        final int subsystem = pci.config().read(PciConfig.SUBSYSTEM_VENDOR_ID_OFFSET, 4);
        return require(subsystem == 0x1100_1af4, String.format("%04x:%04x", subsystem & 0xffff, subsystem >>> 16));
    }

    private String bars() {
        final Bar msix = pci.bar(Bar1.MSIX_BAR);
        final Bar uar = pci.bar(Bar1.UAR_BAR);
        return require(msix.size() == 0x4000 && registers.size() == Bar1.SIZE && uar.size() == 0x80_0000
            && pci.interrupts().available() == Bar1.PVRDMA_MAX_INTERRUPTS,
            msix + " " + registers + " " + uar + " vectors=" + pci.interrupts().available());
    }

    private String version() {
        final int version = registers.readInt(Bar1.PVRDMA_REG_VERSION);
        return require(version == Bar1.PVRDMA_ROCEV1_VERSION, "VERSION " + version);
    }

    private String roundTrip() {
        final long start = System.nanoTime();
        for (int i = 0; i < READS; i++) {
            registers.readInt(Bar1.PVRDMA_REG_VERSION);
        }
        return String.format("%.0f us per register read", (System.nanoTime() - start) / 1e3 / READS);
    }

    private String map() {
        final long inside = memory.address() + Pdir.PAGE_SIZE + 5;
        try (DmaMapping mapping = pci.dma().map(inside, Pdir.PAGE_SIZE, memory)) {
            return require(mapping.iova() == memory.iova() + Pdir.PAGE_SIZE
                && mapping.length() == 2 * Pdir.PAGE_SIZE, mapping.toString());
        }
    }

    private String foreignMemory() {
        final ByteBuffer foreign = ByteBuffer.allocateDirect(64);
        try (DmaMapping mapping = pci.dma().map(BufferUtil.address(foreign), 64, foreign)) {
            throw new IllegalStateException("was mapped: " + mapping);
        } catch (final RdmaException e) {
            return require(e.errno() == RdmaException.EFAULT, e.getMessage());
        }
    }

    /** The device reads its shared region when the high half of the address is written, and fills the capabilities. */
    private String sharedRegion() {
        final Dsr dsr = new Dsr().wrap(page(0), 0);
        dsr.set(DRIVER_VERSION, Bar1.DRIVER_VERSION).set(GOS_INFO, GosInfo.LINUX_64)
            .set(CMD_SLOT_DMA, iova(1)).set(RESP_SLOT_DMA, iova(2))
            .set(ASYNC_RING_PAGES_NUM_PAGES, 4).set(ASYNC_RING_PAGES_PDIR_DMA, ring(3))
            .set(CQ_RING_PAGES_NUM_PAGES, 4).set(CQ_RING_PAGES_PDIR_DMA, ring(9))
            .uarPfn((int) (pci.bar(Bar1.UAR_BAR).busAddress() >>> Pdir.PAGE_SHIFT));
        registers.writeInt(Bar1.PVRDMA_REG_DSRLOW, (int) iova(0));
        registers.writeInt(Bar1.PVRDMA_REG_DSRHIGH, (int) (iova(0) >>> Integer.SIZE));
        final Caps caps = dsr.get(CAPS);
        return require(caps.get(Caps.GID_TYPES) == GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1 && caps.get(Caps.MAX_QP) > 0,
            String.format("fw_ver %d, max_qp %d, max_cqe %d, gid_types %d", caps.get(Caps.FW_VER),
                caps.get(Caps.MAX_QP), caps.get(Caps.MAX_CQE), caps.get(Caps.GID_TYPES)));
    }

    /** Page directory, page table, then four pages: one of state and three of elements. */
    private long ring(final int first) {
        page(first).putLong(0, iova(first + 1), ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < 4; i++) {
            page(first + 1).putLong(i * Long.BYTES, iova(first + 2 + i), ByteOrder.LITTLE_ENDIAN);
        }
        return iova(first);
    }

    private String queryPort() {
        final int granted = pci.interrupts().enable(Bar1.PVRDMA_MAX_INTERRUPTS);
        final InterruptVector vector = pci.interrupts().vector(Bar1.PVRDMA_INTR_VECTOR_RESPONSE);
        registers.writeInt(Bar1.PVRDMA_REG_IMR, Bar1.IMR_NONE_MASKED);
        registers.writeInt(Bar1.PVRDMA_REG_CTL, Bar1.PVRDMA_DEVICE_CTL_ACTIVATE);
        final QueryPortRequest request = new QueryPortRequest().wrap(page(1), 0);
        request.set(QueryPortRequest.PORT_NUM, 1).header()
            .set(CommandHeader.RESPONSE, 0x5ca1ab1e).cmd(Command.QUERY_PORT);
        registers.writeInt(Bar1.PVRDMA_REG_REQUEST, 0);
        final long fired = vector.await(INTERRUPT_NANOS);
        final ResponseHeader response = new ResponseHeader().wrap(page(2), 0);
        final int error = registers.readInt(Bar1.PVRDMA_REG_ERR);
        return require(granted == 3 && fired == 1 && vector.fired() == 1 && error == 0
            && response.get(ResponseHeader.RESPONSE) == 0x5ca1ab1e
                && response.get(ResponseHeader.ACK) == Command.QUERY_PORT.ack(), String.format(
                "vectors %d, vector 0 fired %d, ERR 0x%x, key 0x%x, ack 0x%x",
                granted, fired, error, response.get(ResponseHeader.RESPONSE), response.get(ResponseHeader.ACK)));
    }

    private String bind() {
        page(1).setMemory(0, Pdir.PAGE_SIZE, (byte) 0);
        final byte[] gid = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 10, 9, 9, 1};
        final CreateBindRequest request = new CreateBindRequest().wrap(page(1), 0);
        request.set(CreateBindRequest.MTU, 1024).set(CreateBindRequest.VLAN, 0xfff).set(CreateBindRequest.INDEX, 0)
            .set(CreateBindRequest.NEW_GID, gid).set(CreateBindRequest.GID_TYPE, 1)
            .header().set(CommandHeader.RESPONSE, 0x0ddba11).cmd(Command.CREATE_BIND);
        registers.writeInt(Bar1.PVRDMA_REG_REQUEST, 0);
        final int error = registers.readInt(Bar1.PVRDMA_REG_ERR);
        return require(error == 0 && pci.toString().contains("madMessages=1"), "ERR " + error + ", " + pci);
    }

    private String openAgain(final QtestDevice device) {
        try (PciDevice again = PciDevices.open(device.address())) {
            return require(again.bar(Bar1.REG_BAR).readInt(Bar1.PVRDMA_REG_VERSION) == Bar1.PVRDMA_ROCEV1_VERSION
                && again.dma().reachableBytes() == 0, again.toString());
        }
    }

    private UnsafeBuffer page(final int number) {
        return memory.buffer(number * Pdir.PAGE_SIZE, Pdir.PAGE_SIZE);
    }

    private long iova(final int number) {
        return memory.iova() + (long) number * Pdir.PAGE_SIZE;
    }
}
