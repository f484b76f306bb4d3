/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.raw;

import static io.rdma4j.hw.pvrdma.Dsr.*;

import io.rdma4j.DeviceAddress;
import io.rdma4j.device.EmulatedDevice;
import io.rdma4j.device.common.InterruptOutput;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.driver.pci.PciDevices;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.MrFlags;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.CreateBindRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateCqRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateCqResponse;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMrResponse;
import io.rdma4j.hw.pvrdma.cmd.CreateMwRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateMwResponse;
import io.rdma4j.hw.pvrdma.cmd.CreatePdRequest;
import io.rdma4j.hw.pvrdma.cmd.CreateSrqRequest;
import io.rdma4j.hw.pvrdma.cmd.DestroyBindRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleRequest;
import io.rdma4j.hw.pvrdma.cmd.HandleResponse;
import io.rdma4j.hw.pvrdma.cmd.SrqAttr;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/** Init and commands, by registers and memory alone. One thread, but for the rings. */
public final class RawDriver implements AutoCloseable {
    /** Pages of the event rings, state page included: N is a power of two then. */
    public static final int EVENT_PAGES = 5;

    public final PciDevice pci;
    public final Bar registers;
    public final Bar uar;
    public final DmaMemory dsrMemory;
    public final Dsr dsr = new Dsr();
    public final DmaMemory command;
    public final DmaMemory response;
    public final RawRing async;
    public final RawRing notifications;
    public int pd;
    private final List<DmaMemory> memory = new ArrayList<>();
    private final EmulatedDevice device;
    private long key = 0x1000;

    /** A device with memory decoding and bus mastering on, its shared region filled in but not yet loaded. */
    public RawDriver(String address) {
        this(PciDevices.open(DeviceAddress.parse(address)), null);
    }

    /** The same by another way than the seam of this process; null for a device that is behind no other. */
    public RawDriver(PciDevice pci, EmulatedDevice behind) {
        this.pci = pci;
        device = behind == null ? (EmulatedDevice) pci : behind;
        pci.config().write(PciConfig.COMMAND_OFFSET, 2, PciConfig.MEMORY | PciConfig.BUS_MASTER);
        registers = pci.bar(1);
        uar = pci.bar(2);
        dsrMemory = page();
        command = page();
        response = page();
        async = new RawRing(this, EVENT_PAGES);
        notifications = new RawRing(this, EVENT_PAGES);
        dsr.wrap(dsrMemory.buffer(), 0);
        dsr.set(DRIVER_VERSION, 20).set(CMD_SLOT_DMA, command.iova()).set(RESP_SLOT_DMA, response.iova());
        dsr.set(ASYNC_RING_PAGES_NUM_PAGES, EVENT_PAGES).set(ASYNC_RING_PAGES_PDIR_DMA, async.pdir());
        dsr.set(CQ_RING_PAGES_NUM_PAGES, EVENT_PAGES).set(CQ_RING_PAGES_PDIR_DMA, notifications.pdir());
        dsr.set(UAR_PFN64, uar.busAddress() >>> Pdir.PAGE_SHIFT);
    }

    /** A device that is ready for traffic: activated, with a PD, its default GID at index 0 and three vectors. */
    public static RawDriver ready(String address) {
        return ready(new RawDriver(address));
    }

    public static RawDriver ready(RawDriver driver) {
        driver.load();
        driver.pci.interrupts().enable(3);
        driver.registers.writeInt(Bar1.PVRDMA_REG_IMR, 0);
        driver.activate();
        driver.pd = driver.createPd();
        driver.bind(0, driver.gid(), driver.dsr.get(CAPS).get(Caps.GID_TYPES));
        return driver;
    }

    public void bind(int index, byte[] gid, int type) {
        ok(Command.CREATE_BIND, b -> new CreateBindRequest().wrap(b, 0).set(CreateBindRequest.MTU, 1024)
            .set(CreateBindRequest.VLAN, 0xfff).set(CreateBindRequest.INDEX, index)
            .set(CreateBindRequest.NEW_GID, gid).set(CreateBindRequest.GID_TYPE, type));
    }

    public EmulatedDevice device() {
        return device;
    }

    public DmaMemory page() {
        return allocate(1);
    }

    public DmaMemory allocate(int pages) {
        final DmaMemory allocated = pci.dma().allocate((long) pages * Pdir.PAGE_SIZE);
        memory.add(allocated);
        return allocated;
    }

    public void load() {
        registers.writeInt(Bar1.PVRDMA_REG_DSRLOW, (int) dsrMemory.iova());
        registers.writeInt(Bar1.PVRDMA_REG_DSRHIGH, (int) (dsrMemory.iova() >>> 32));
    }

    public int activate() {
        registers.writeInt(Bar1.PVRDMA_REG_CTL, Bar1.PVRDMA_DEVICE_CTL_ACTIVATE);
        return err();
    }

    public int err() {
        return registers.readInt(Bar1.PVRDMA_REG_ERR);
    }

    /** fe80:: and the EUI-64, as bytes. */
    public byte[] gid() {
        return ByteBuffer.allocate(16).putLong(0xfe80L << 48).putLong(device().identity().guid()).array();
    }

    /** Builds a page directory over pages; returns its IOVA. */
    public long pdir(long... pages) {
        return pdir(pages.length, () -> pages);
    }

    /** The same over pages that are allocated last. */
    long pdir(int count, Supplier<long[]> allocation) {
        final DmaMemory directory = page();
        final DmaMemory[] tables = new DmaMemory[(count + Pdir.ENTRIES - 1) / Pdir.ENTRIES];
        for (int i = 0; i < tables.length; i++) {
            tables[i] = page();
            directory.buffer().putLong(i * 8, tables[i].iova());
        }
        final long[] pages = allocation.get();
        for (int i = 0; i < count; i++) {
            tables[i / Pdir.ENTRIES].buffer().putLong(i % Pdir.ENTRIES * 8, pages[i]);
        }
        return directory.iova();
    }

    /** Builds a page directory that names as many pages as there can be, which are one; returns its IOVA. */
    public long repeatingPdir() {
        final long page = page().iova();
        return repeatingPdir(page, page);
    }

    /** The same, over these pages: the first of them comes once. */
    long repeatingPdir(long first, long others) {
        final DmaMemory directory = page();
        final DmaMemory firstTable = page();
        final DmaMemory table = page();
        for (int i = 0; i < Pdir.ENTRIES; i++) {
            directory.buffer().putLong(8 * i, i == 0 ? firstTable.iova() : table.iova());
            firstTable.buffer().putLong(8 * i, i == 0 ? first : others);
            table.buffer().putLong(8 * i, others);
        }
        return directory.iova();
    }

    /** Executes a command; returns ERR. */
    public int run(Command what, Consumer<UnsafeBuffer> fill) {
        return run(what.id(), fill);
    }

    public int run(int id, Consumer<UnsafeBuffer> fill) {
        final UnsafeBuffer slot = command.buffer();
        slot.setMemory(0, Command.REQUEST_MAX, (byte) 0);
        response.buffer().setMemory(0, Pdir.PAGE_SIZE, (byte) 0xcc);
        fill.accept(slot);
        new CommandHeader().wrap(slot, 0).set(CommandHeader.RESPONSE, ++key).set(CommandHeader.CMD, id);
        registers.writeInt(Bar1.PVRDMA_REG_REQUEST, 0);
        return err();
    }

    public long lastKey() {
        return key;
    }

    /** Executes a command that has to succeed; returns the response slot. */
    public UnsafeBuffer ok(Command what, Consumer<UnsafeBuffer> fill) {
        final int err = run(what, fill);
        if (err != 0) {
            throw new AssertionError(what + " gave ERR " + err + "\n" + device().describe());
        }
        return response.buffer();
    }

    public int destroy(Command what, int handle) {
        return run(what, b -> new HandleRequest().wrap(b, 0).set(HandleRequest.HANDLE, handle));
    }

    public int createPd() {
        return new HandleResponse().wrap(ok(Command.CREATE_PD,
            b -> new CreatePdRequest().wrap(b, 0)), 0).get(HandleResponse.HANDLE);
    }

    public RawCq createCq(int entries) {
        return createCq(entries, new RawRing(this, cqPages(entries)));
    }

    /** In pages that are all the same one: for some completions. */
    public RawCq createRepeatingCq(int entries) {
        return createCq(entries, RawRing.repeating(this, cqPages(entries)));
    }

    private static int cqPages(int entries) {
        return 1 + Math.max(1, entries * 64 / Pdir.PAGE_SIZE);
    }

    private RawCq createCq(int entries, RawRing ring) {
        final CreateCqResponse created = new CreateCqResponse().wrap(ok(Command.CREATE_CQ, b -> new CreateCqRequest()
            .wrap(b, 0).set(CreateCqRequest.PDIR_DMA, ring.pdir()).set(CreateCqRequest.CQE, entries)
            .set(CreateCqRequest.NCHUNKS, ring.pages())), 0);
        return new RawCq(this, ring, created.get(CreateCqResponse.CQ_HANDLE), entries);
    }

    public RawRegion register(int length, int access) {
        return register(pd, length, 0, access);
    }

    /** Registers scattered pages; the region begins some bytes into the first. */
    public RawRegion register(int domain, int length, int offset, int access) {
        return register(domain, new RawRegion(this, length, offset), access);
    }

    /** Registers pages in a row. */
    public RawRegion registerInOne(int length, int access) {
        return register(pd, new RawRegion(this, length), access);
    }

    /** Registers pages that are all the same one, up to as many as a page directory reaches. */
    public RawRegion registerRepeating(int pages, int access) {
        return register(pd, RawRegion.repeating(this, pages), access);
    }

    /** Registers memory of a region that was destroyed once more. */
    public RawRegion register(int domain, RawRegion region, int access) {
        final CreateMrResponse created = new CreateMrResponse().wrap(ok(Command.CREATE_MR, b -> new CreateMrRequest()
            .wrap(b, 0).set(CreateMrRequest.PD_HANDLE, domain).set(CreateMrRequest.START, region.start())
            .set(CreateMrRequest.LENGTH, region.length()).set(CreateMrRequest.ACCESS_FLAGS, access)
            .set(CreateMrRequest.PDIR_DMA, region.pdir()).set(CreateMrRequest.NCHUNKS, region.pages())), 0);
        return region.keys(created.get(CreateMrResponse.MR_HANDLE), created.get(CreateMrResponse.LKEY),
            created.get(CreateMrResponse.RKEY));
    }

    public RawWindow createMw(int type) {
        return createMw(pd, type);
    }

    public RawWindow createMw(int domain, int type) {
        final CreateMwResponse created = new CreateMwResponse().wrap(ok(Command.CREATE_MW, b -> new CreateMwRequest()
            .wrap(b, 0).set(CreateMwRequest.PD_HANDLE, domain).set(CreateMwRequest.TYPE, type)), 0);
        return new RawWindow(created.get(CreateMwResponse.MW_HANDLE), created.get(CreateMwResponse.RKEY));
    }

    public RawFastRegion createFastRegion(int pages) {
        return createFastRegion(pd, pages);
    }

    public RawFastRegion createFastRegion(int domain, int pages) {
        final CreateMrResponse created = new CreateMrResponse().wrap(ok(Command.CREATE_MR, b -> new CreateMrRequest()
            .wrap(b, 0).set(CreateMrRequest.PD_HANDLE, domain).set(CreateMrRequest.FLAGS, MrFlags.PVRDMA_MR_FLAG_FRMR)
            .set(CreateMrRequest.NCHUNKS, pages)), 0);
        return new RawFastRegion(this, created.get(CreateMrResponse.MR_HANDLE), created.get(CreateMrResponse.LKEY),
            created.get(CreateMrResponse.RKEY));
    }

    public RawQp createQp(RawQp.Builder builder) {
        return builder.create(this);
    }

    public RawSrq createSrq(int wrs, int sge) {
        return createSrq(wrs, sge, new RawRing(this, srqPages(wrs, sge)));
    }

    /** In pages that are all the same one: for some receives. */
    public RawSrq createRepeatingSrq(int wrs, int sge) {
        return createSrq(wrs, sge, RawRing.repeating(this, srqPages(wrs, sge)));
    }

    private static int srqPages(int wrs, int sge) {
        return 1 + Math.max(1, wrs * RqWqe.stride(sge) / Pdir.PAGE_SIZE);
    }

    private RawSrq createSrq(int wrs, int sge, RawRing ring) {
        final int handle = new HandleResponse()
            .wrap(ok(Command.CREATE_SRQ, srqRequest(wrs, sge, ring.pdir(), ring.pages())), 0)
            .get(HandleResponse.HANDLE);
        return new RawSrq(this, ring, handle, wrs, sge);
    }

    /** CREATE_SRQ, of any sizes. */
    public Consumer<UnsafeBuffer> srqRequest(int wrs, int sge, long pdir, int pages) {
        return b -> {
            final CreateSrqRequest request = new CreateSrqRequest().wrap(b, 0).set(CreateSrqRequest.PD_HANDLE, pd)
                .set(CreateSrqRequest.PDIR_DMA, pdir).set(CreateSrqRequest.NCHUNKS, pages);
            request.get(CreateSrqRequest.ATTRS).set(SrqAttr.MAX_WR, wrs).set(SrqAttr.MAX_SGE, sge);
        };
    }

    public void unbind(int index, byte[] gid) {
        ok(Command.DESTROY_BIND, b -> new DestroyBindRequest().wrap(b, 0).set(DestroyBindRequest.INDEX, index)
            .set(DestroyBindRequest.DEST_GID, gid));
    }

    /** Has somebody told of each interrupt, on the thread that raises it and under the locks that it holds. */
    public void onInterrupt(IntConsumer listener) {
        device.interruptsTo(new InterruptOutput() {
            @Override
            public void message(int vector) {
                listener.accept(vector);
            }

            @Override
            public void line() {
                // There are messages.
            }

            @Override
            public void attention() {
                // Whoever is told by messages does not wait.
            }
        });
    }

    public void reset() {
        registers.writeInt(Bar1.PVRDMA_REG_CTL, Bar1.PVRDMA_DEVICE_CTL_RESET);
    }

    @Override
    public void close() {
        pci.close();
    }
}
