/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump;

import io.rdma4j.DeviceAddress;
import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.Bar;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.Interrupts;
import io.rdma4j.driver.pci.PciDevice;
import io.rdma4j.hw.pci.MsixCapability;
import io.rdma4j.hw.pci.MsixTableEntry;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Bar1;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A PCI function in a state that a test wrote down. Notes each access to a register. */
final class ScriptedPci implements PciDevice {
    static final int MSIX_AT = 0x40;
    static final int PBA_AT = 0x2000;
    private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;

    final UnsafeBuffer config = new UnsafeBuffer(new byte[PciConfig.SPACE_LENGTH]);
    final UnsafeBuffer[] bars = {
        new UnsafeBuffer(new byte[16 << 10]), new UnsafeBuffer(new byte[256]), new UnsafeBuffer(new byte[4096])};
    final List<String> accesses = new ArrayList<>();

    /** Brought up, with a message interrupt pending. */
    static ScriptedPci working() {
        final ScriptedPci pci = new ScriptedPci();
        pci.config16(PciConfig.VENDOR_ID_OFFSET, Bar1.PVRDMA_VENDOR_ID);
        pci.config16(PciConfig.DEVICE_ID_OFFSET, Bar1.PVRDMA_DEVICE_ID);
        pci.config16(PciConfig.COMMAND_OFFSET, PciConfig.MEMORY | PciConfig.BUS_MASTER | PciConfig.INTX_DISABLE);
        pci.config16(PciConfig.STATUS_OFFSET, PciConfig.STATUS_CAP_LIST);
        pci.config16(PciConfig.CLASS_DEVICE_OFFSET, PciConfig.CLASS_NETWORK_OTHER);
        pci.config16(PciConfig.SUBSYSTEM_VENDOR_ID_OFFSET, 0x1af4);
        pci.config16(PciConfig.SUBSYSTEM_ID_OFFSET, 0x1100);
        pci.config.putInt(PciConfig.BAR0_OFFSET, 0xfebf_0000, LE);
        pci.config.putInt(PciConfig.BAR1_OFFSET, 0xfebf_4000, LE);
        pci.config.putInt(PciConfig.BAR2_OFFSET, 0xe000_000c, LE);
        pci.config.putInt(PciConfig.BAR3_OFFSET, 0x38, LE);
        pci.config.putByte(PciConfig.CAP_PTR_OFFSET, (byte) MSIX_AT);
        pci.config.putByte(PciConfig.INTERRUPT_PIN_OFFSET, (byte) 1);
        pci.config.putByte(MSIX_AT, (byte) MsixCapability.CAP_ID);
        pci.config.putByte(MSIX_AT + 1, (byte) 0x50);
        pci.config16(MSIX_AT + MsixCapability.CONTROL_OFFSET, MsixCapability.control(3) | MsixCapability.ENABLE);
        pci.config.putInt(MSIX_AT + MsixCapability.PBA_OFFSET, MsixCapability.word(0, PBA_AT), LE);
        pci.config.putInt(0x50, 0x0003_0001, LE);
        for (int vector = 0; vector < 3; vector++) {
            MsixTableEntry.set(pci.bars[0], MsixTableEntry.entryOffset(vector), 0xfee0_1000L, 0x4021 + vector,
                vector == 2);
        }
        pci.bars[0].putInt(PBA_AT, 0b100, LE);
        final int[] registers = {20, 0x2000, 1, 0, 0, -22, 2, 0, 0x5634_1252, 0x9a78};
        for (int i = 0; i < registers.length; i++) {
            pci.bars[1].putInt(i * Integer.BYTES, registers[i], LE);
        }
        return pci;
    }

    void config16(final int at, final int value) {
        config.putShort(at, (short) value, LE);
    }

    @Override
    public DeviceAddress address() {
        return DeviceAddress.parse("vfio:0000:0b:00.1");
    }

    @Override
    public ConfigSpace config() {
        return new ConfigSpace() {
            @Override
            public int read(final int offset, final int size) {
                return size == 4 ? config.getInt(offset, LE) : size == 2 ? config.getShort(offset, LE) & 0xffff
                    : config.getByte(offset) & 0xff;
            }

            @Override
            public void write(final int offset, final int size, final int value) {
                throw new AssertionError("a dump writes nothing");
            }
        };
    }

    @Override
    public Bar bar(final int index) {
        if (index >= bars.length) {
            throw RdmaException.of("map BAR").device(address()).detail("there is no BAR%d", index)
                .errno(RdmaException.ENODEV).build();
        }
        return new ScriptedBar(index);
    }

    /** Notes what is read. */
    private final class ScriptedBar implements Bar {
        private final int index;

        ScriptedBar(final int index) {
            this.index = index;
        }

        @Override
        public int index() {
            return index;
        }

        @Override
        public long size() {
            return bars[index].capacity();
        }

        @Override
        public long busAddress() {
            return 0;
        }

        @Override
        public boolean isMapped() {
            return false;
        }

        @Override
        public UnsafeBuffer buffer() {
            throw new AssertionError("a dump reads single words");
        }

        @Override
        public int readInt(final int offset) {
            accesses.add("BAR" + index + "+0x" + Integer.toHexString(offset));
            return bars[index].getInt(offset, LE);
        }

        @Override
        public void writeInt(final int offset, final int value) {
            throw new AssertionError("a dump writes nothing");
        }
    }

    @Override
    public DmaDomain dma() {
        throw new AssertionError("a dump needs no DMA");
    }

    @Override
    public Interrupts interrupts() {
        throw new AssertionError("a dump needs no interrupts");
    }

    @Override
    public boolean reset() {
        throw new AssertionError("a dump resets nothing");
    }

    @Override
    public void onLoss(final Consumer<String> listener) {
        throw new AssertionError("a dump listens to nothing");
    }

    @Override
    public void close() {
        throw new AssertionError("a dump closes nothing");
    }
}
