/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.Caps.*;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.FakeIommu;
import io.rdma4j.driver.dma.IommuDmaDomain;
import io.rdma4j.driver.dma.IovaAllocator;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Caps;
import io.rdma4j.hw.pvrdma.Dsr;
import io.rdma4j.hw.pvrdma.GidType;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CommandHeader;
import io.rdma4j.hw.pvrdma.cmd.ResponseHeader;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The register side of a device, as far as the driver's control path sees it, with a switch for each fault. Its bus
 * addresses are far away from process addresses, so that taking one for the other shows.
 */
final class FakePvrdma implements PciDevice {
    static final long IOVA_BASE = 0x2_0000_0000L;
    static final long UAR_BUS_ADDRESS = 0xfd80_0000L;

    /** Register and configuration accesses, interrupts and mappings, in order. */
    final List<String> log;
    final FakeIommu iommu = new FakeIommu();
    final IovaAllocator iovas =
        new IovaAllocator(List.of(new IovaAllocator.Range(IOVA_BASE, IOVA_BASE + (2L << 30) - 1)));
    final IommuDmaDomain domain = new IommuDmaDomain(iommu, iovas, "fake:");
    final FakeVectors vectors;
    final ByteBuffer config = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
    final Map<Command, BiConsumer<UnsafeBuffer, UnsafeBuffer>> handlers = new EnumMap<>(Command.class);
    /** The requests as received. */
    final List<UnsafeBuffer> requests = new CopyOnWriteArrayList<>();
    final Map<Command, Integer> errors = new EnumMap<>(Command.class);

    int version = 20;
    Consumer<Caps> capsFiller = caps -> { };
    int errAfterActivate;
    int headerErr;
    boolean answers = true;
    boolean interrupts = true;
    volatile boolean gone;
    boolean failingReads;
    /** Reads that succeed before the bus fails; negative for all. */
    int goodReads = -1;
    boolean srqSwapped;
    long keyChange;
    int ackChange;
    int uarSize = 4096;
    int failingWrite = -1;
    boolean failingConfigWrites;
    boolean busErrors;
    boolean offersReset;
    /** What the next resets are refused with, one after the other. */
    final Deque<Integer> resetErrnos = new ArrayDeque<>();
    boolean closed;
    /** Shared by those who open the same device one after the other; null for a device that forgets. */
    FakeObjects objects;
    String persistentName;
    Consumer<String> lossListener;
    Dsr dsr;
    private int nextHandle;
    private int err = 0xffff;
    private int dsrLow;

    FakePvrdma() {
        log = iommu.log;
        vectors = new FakeVectors(log);
        ids(Bar1.PVRDMA_VENDOR_ID, Bar1.PVRDMA_DEVICE_ID);
        subsystem(Bar1.PVRDMA_VENDOR_ID, DeviceProfile.EMULATED_SUBSYSTEM_ID);
    }

    FakePvrdma ids(final int vendor, final int device) {
        config.putShort(PciConfig.VENDOR_ID_OFFSET, (short) vendor);
        config.putShort(PciConfig.DEVICE_ID_OFFSET, (short) device);
        return this;
    }

    FakePvrdma subsystem(final int vendor, final int id) {
        config.putShort(PciConfig.SUBSYSTEM_VENDOR_ID_OFFSET, (short) vendor);
        config.putShort(PciConfig.SUBSYSTEM_ID_OFFSET, (short) id);
        return this;
    }

    /** Presents itself as QEMU's device does. */
    FakePvrdma qemu() {
        version = 17;
        srqSwapped = true;
        return subsystem(0x1af4, 0x1100);
    }

    FakePvrdma caps(final Consumer<Caps> filler) {
        capsFiller = filler;
        return this;
    }

    PvrdmaOptions options() {
        return new PvrdmaOptions().responseTimeoutNanos(20_000_000);
    }

    PvrdmaDevice open() {
        return PvrdmaDevice.open(this, options());
    }

    boolean busMaster() {
        return (config.getShort(PciConfig.COMMAND_OFFSET) & PciConfig.BUS_MASTER) != 0;
    }

    /** The commands received, by name. */
    List<String> commandNames() {
        return requests.stream()
            .map(r -> CommandText.name(new CommandHeader().wrap(r, 0).get(CommandHeader.CMD))).toList();
    }

    /** A page of a ring or region, found as a device finds it. */
    UnsafeBuffer page(final long pdirDma, final int page) {
        final long table = iommu.at(pdirDma, Pdir.PAGE_SIZE).getLong(Pdir.dirIndex(page) * 8);
        return iommu.at(iommu.at(table, Pdir.PAGE_SIZE).getLong(Pdir.tableIndex(page) * 8), Pdir.PAGE_SIZE);
    }

    /** Writes words into an event ring and moves its producer index, which counts modulo what 2n allows. */
    void event(final long pdirDma, final int elementLength, final int index, final int newTail, final int... words) {
        final int perPage = Pdir.PAGE_SIZE / elementLength;
        final UnsafeBuffer elements = page(pdirDma, 1 + index / perPage);
        for (int i = 0; i < words.length; i++) {
            elements.putInt(index % perPage * elementLength + 4 * i, words[i]);
        }
        page(pdirDma, 0).putIntRelease(RingState.RX_PROD_TAIL_OFFSET, newTail);
    }

    int consHead(final long pdirDma) {
        return page(pdirDma, 0).getInt(RingState.RX_CONS_HEAD_OFFSET);
    }

    private void execute() {
        final UnsafeBuffer request = new UnsafeBuffer(new byte[Command.REQUEST_MAX]);
        request.putBytes(0, iommu.at(dsr.get(Dsr.CMD_SLOT_DMA), Command.REQUEST_MAX), 0, Command.REQUEST_MAX);
        requests.add(request);
        final CommandHeader header = new CommandHeader().wrap(request, 0);
        final Command command = meaning(Command.of(header.get(CommandHeader.CMD)));
        err = command == null ? 0xffff : errors.getOrDefault(command, 0);
        if (err == 0 && objects != null) {
            err = objects.destroy(command, request);
        }
        if (err == 0 && answers && command != null) {
            final UnsafeBuffer response = iommu.at(dsr.get(Dsr.RESP_SLOT_DMA), Command.RESPONSE_MAX);
            body(command, request, response);
            new ResponseHeader().wrap(response, 0).set(ResponseHeader.ERR, headerErr)
                .set(ResponseHeader.ACK, command.ack() + ackChange)
                .set(ResponseHeader.RESPONSE, header.get(CommandHeader.RESPONSE) + keyChange);
        }
        if (interrupts) {
            vectors.fire(0);
        }
    }

    private Command meaning(final Command command) {
        if (srqSwapped && command == Command.MODIFY_SRQ) {
            return Command.QUERY_SRQ;
        }
        return srqSwapped && command == Command.QUERY_SRQ ? Command.MODIFY_SRQ : command;
    }

    /** Every create gets the next handle at the place where all responses have it; sizes are echoed. */
    private void body(final Command command, final UnsafeBuffer request, final UnsafeBuffer response) {
        if (command.name().startsWith("CREATE_") && command.responseLength(version) > 0) {
            response.putInt(ResponseHeader.LAYOUT.length(),
                objects == null ? nextHandle++ : objects.create(command, request));
        }
        if (objects != null && command == Command.CREATE_BIND) {
            objects.create(command, request);
        }
        if (command == Command.CREATE_QP && version >= Bar1.PVRDMA_QPHANDLE_VERSION) {
            response.putInt(ResponseHeader.LAYOUT.length() + 4, nextHandle++);
        }
        if (command == Command.CREATE_CQ) {
            response.putInt(ResponseHeader.LAYOUT.length() + 4, request.getInt(28));
        }
        final BiConsumer<UnsafeBuffer, UnsafeBuffer> handler = handlers.get(command);
        if (handler != null) {
            handler.accept(request, response);
        }
    }

    private void writeRegister(final int offset, final int value) {
        log.add("write " + Bar1.name(offset) + " " + (offset == Bar1.PVRDMA_REG_CTL ? Bar1.CTL_NAMES.of(value)
            : offset == Bar1.PVRDMA_REG_IMR ? Integer.toString(value) : ""));
        if (offset == failingWrite) {
            failingWrite = -1;
            throw RdmaException.of("write register").detail("refused by the test").errno(RdmaException.EIO).build();
        }
        switch (offset) {
            case Bar1.PVRDMA_REG_DSRLOW -> dsrLow = value;
            case Bar1.PVRDMA_REG_DSRHIGH -> load((long) value << 32 | dsrLow & 0xffffffffL);
            case Bar1.PVRDMA_REG_REQUEST -> execute();
            case Bar1.PVRDMA_REG_CTL -> err = value == Bar1.PVRDMA_DEVICE_CTL_ACTIVATE ? errAfterActivate : err;
            default -> {
            }
        }
    }

    private void load(final long address) {
        if (!busMaster()) {
            throw new AssertionError("the device cannot read memory before it is bus master");
        }
        dsr = new Dsr().wrap(iommu.at(address, Dsr.LAYOUT.length()), 0);
        final Caps caps = dsr.get(Dsr.CAPS);
        caps.set(MAX_QP, 4).set(MAX_CQ, 4).set(MAX_MR, 4).set(MAX_PD, 3).set(MAX_SRQ, 2).set(MAX_AH, 4)
            .set(MAX_QP_WR, 8192).set(MAX_CQE, 8192).set(MAX_SRQ_WR, 4096)
            .set(MAX_SGE, 16).set(MAX_SGE_RD, 16).set(MAX_SRQ_SGE, 16).set(MAX_MR_SIZE, 1L << 32).set(GID_TBL_LEN, 8)
            .set(MAX_PKEYS, 2).set(PHYS_PORT_CNT, 1)
            .set(MODE, 0).set(GID_TYPES, version >= 18 ? GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V2
                : GidType.PVRDMA_GID_TYPE_FLAG_ROCE_V1)
            .set(FW_VER, 14L << 32 | 2 << 16 | 3);
        capsFiller.accept(caps);
    }

    private int readRegister(final int offset) {
        failingReads |= goodReads == 0;
        goodReads--;
        if (failingReads) {
            throw RdmaException.of("read register").detail("refused by the test").errno(RdmaException.EIO).build();
        }
        if (busErrors) {
            throw new InternalError("a fault occurred in an unsafe memory access operation");
        }
        if (gone) {
            return -1;
        }
        return offset == Bar1.PVRDMA_REG_VERSION ? version : offset == Bar1.PVRDMA_REG_ERR ? err : 0;
    }

    @Override
    public DeviceAddress address() {
        return DeviceAddress.parse("fake:");
    }

    @Override
    public ConfigSpace config() {
        return new ConfigSpace() {
            @Override
            public int read(final int offset, final int size) {
                return size == 4 ? config.getInt(offset)
                    : size == 2 ? config.getShort(offset) & 0xffff : config.get(offset) & 0xff;
            }

            @Override
            public void write(final int offset, final int size, final int value) {
                log.add(String.format("config 0x%02x = 0x%x", offset, value));
                if (failingConfigWrites) {
                    throw RdmaException.of("write config").detail("refused by the test").build();
                }
                config.putShort(offset, (short) value);
            }
        };
    }

    @Override
    public Bar bar(final int index) {
        if (index != Bar1.REG_BAR && index != Bar1.UAR_BAR) {
            throw RdmaException.of("BAR").detail("no BAR%d", index).errno(RdmaException.ENODEV).build();
        }
        return new FakeBar(index);
    }

    @Override
    public DmaDomain dma() {
        return domain;
    }

    @Override
    public Interrupts interrupts() {
        return vectors;
    }

    @Override
    public boolean reset() {
        log.add("reset function" + (busMaster() ? " as bus master" : ""));
        final Integer errno = resetErrnos.poll();
        if (errno != null) {
            throw RdmaException.of("reset").detail("refused by the test").errno(errno).build();
        }
        if (offersReset && objects != null) {
            objects.clear();
        }
        return offersReset;
    }

    @Override
    public void onLoss(final Consumer<String> listener) {
        lossListener = listener;
    }

    @Override
    public Optional<String> persistentName() {
        return Optional.ofNullable(persistentName);
    }

    @Override
    public void close() {
        log.add("close function");
        closed = true;
        domain.close();
    }

    private final class FakeBar implements Bar {
        private final int index;

        FakeBar(final int index) {
            this.index = index;
        }

        @Override
        public int index() {
            return index;
        }

        @Override
        public long size() {
            return index == Bar1.REG_BAR ? Bar1.SIZE : uarSize;
        }

        @Override
        public long busAddress() {
            return index == Bar1.REG_BAR ? 0xfd7f_f000L : UAR_BUS_ADDRESS;
        }

        @Override
        public boolean isMapped() {
            return false;
        }

        @Override
        public UnsafeBuffer buffer() {
            throw RdmaException.of("map BAR").detail("the fake has none").errno(RdmaException.EOPNOTSUPP).build();
        }

        @Override
        public int readInt(final int offset) {
            return readRegister(offset);
        }

        @Override
        public void writeInt(final int offset, final int value) {
            if (index == Bar1.UAR_BAR) {
                log.add(String.format("doorbell %d = 0x%x", offset, value));
            } else {
                writeRegister(offset, value);
            }
        }
    }
}
