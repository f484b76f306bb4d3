/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.hw.pci.MsixCapability;
import io.rdma4j.hw.pci.PciConfig;
import io.rdma4j.hw.pvrdma.Bar1;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.function.IntConsumer;

/**
 * Configuration space: a type 0 header and an MSI-X capability. Base address registers can be sized by writing all
 * ones; bits that hardware fixes cannot be written.
 */
public final class PciConfigSpace implements ConfigSpace {
    /** Bytes of each BAR's window. */
    static final int[] BAR_SIZES = {16 << 10, 256, 8 << 20};
    /** Where the firmware put them. */
    private static final int[] BAR_ADDRESSES = {0xfebf_0000, 0xfebf_4000, 0xfe00_0000};
    private static final int MSIX_OFFSET = 0x40;
    /** Where the pending bits are in BAR 0. */
    static final int PBA_OFFSET = 0x2000;
    private static final int COMMAND_MASK = PciConfig.IO | PciConfig.MEMORY | PciConfig.BUS_MASTER
        | PciConfig.INTX_DISABLE;
    private static final ByteOrder LE = ByteOrder.LITTLE_ENDIAN;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[PciConfig.SPACE_LENGTH]);
    private final IntConsumer onCommand;
    private final IntConsumer onMsixControl;
    private final boolean qemu;
    private boolean removed;

    /**
     * The space of a function after power-up: memory decoding and bus mastering are off.
     *
     * @param options       decide on the subsystem.
     * @param onCommand     told each new value of the command register.
     * @param onMsixControl told each new value of the MSI-X control word.
     */
    public PciConfigSpace(DeviceOptions options, IntConsumer onCommand, IntConsumer onMsixControl) {
        this.onCommand = onCommand;
        this.onMsixControl = onMsixControl;
        this.qemu = options.has(Quirk.IDENTITY);
        initialize();
    }

    private synchronized void initialize() {
        bytes.setMemory(0, PciConfig.SPACE_LENGTH, (byte) 0);
        put16(PciConfig.VENDOR_ID_OFFSET, Bar1.PVRDMA_VENDOR_ID);
        put16(PciConfig.DEVICE_ID_OFFSET, Bar1.PVRDMA_DEVICE_ID);
        put16(PciConfig.STATUS_OFFSET, PciConfig.STATUS_CAP_LIST);
        put16(PciConfig.CLASS_DEVICE_OFFSET, PciConfig.CLASS_NETWORK_OTHER);
        put16(PciConfig.SUBSYSTEM_VENDOR_ID_OFFSET, qemu ? 0x1af4 : 0x15ad);
        put16(PciConfig.SUBSYSTEM_ID_OFFSET, qemu ? 0x1100 : 0x4a34);
        bytes.putByte(PciConfig.CAP_PTR_OFFSET, (byte) MSIX_OFFSET);
        bytes.putByte(PciConfig.INTERRUPT_PIN_OFFSET, (byte) 1);
        for (int bar = 0; bar < BAR_SIZES.length; bar++) {
            bytes.putInt(PciConfig.barOffset(bar), BAR_ADDRESSES[bar], LE);
        }
        bytes.putByte(MSIX_OFFSET, (byte) MsixCapability.CAP_ID);
        put16(MSIX_OFFSET + MsixCapability.CONTROL_OFFSET, MsixCapability.control(Bar1.PVRDMA_MAX_INTERRUPTS));
        bytes.putInt(MSIX_OFFSET + MsixCapability.TABLE_OFFSET, MsixCapability.word(0, 0), LE);
        bytes.putInt(MSIX_OFFSET + MsixCapability.PBA_OFFSET, MsixCapability.word(0, PBA_OFFSET), LE);
    }

    private void put16(int offset, int value) {
        bytes.putShort(offset, (short) value, LE);
    }

    private int get16(int offset) {
        return bytes.getShort(offset, LE) & 0xffff;
    }

    @Override
    public synchronized int read(int offset, int size) {
        check(offset, size);
        if (removed) {
            return size == 4 ? -1 : (1 << 8 * size) - 1;
        }
        return switch (size) {
            case 1 -> bytes.getByte(offset) & 0xff;
            case 2 -> get16(offset);
            default -> bytes.getInt(offset, LE);
        };
    }

    @Override
    public void write(int offset, int size, int value) {
        check(offset, size);
        final int word = offset & ~3;
        final int shift = 8 * (offset & 3);
        final int lanes = (size == 4 ? -1 : (1 << 8 * size) - 1) << shift;
        synchronized (this) {
            final int old = bytes.getInt(word, LE);
            bytes.putInt(word, changed(word, old, old & ~lanes | value << shift & lanes), LE);
        }
        if (word == PciConfig.COMMAND_OFFSET) {
            onCommand.accept(command());
        } else if (word == MSIX_OFFSET) {
            onMsixControl.accept(msixControl());
        }
    }

    /** Everything is as it was made, and whoever is told of registers is told. */
    public void powerUp() {
        initialize();
        onCommand.accept(command());
        onMsixControl.accept(msixControl());
    }

    /** The function is pulled out: reads find nobody. */
    public synchronized void remove() {
        removed = true;
    }

    private static void check(int offset, int size) {
        if (size != 1 && size != 2 && size != 4 || offset < 0 || offset % size != 0
            || offset > PciConfig.SPACE_LENGTH - size) {
            throw new IllegalArgumentException("configuration access of " + size + " bytes at " + offset);
        }
    }

    /** What a 32-bit word becomes when all its writable bits are set to those of a value. */
    private static int changed(int word, int old, int value) {
        final int bar = (word - PciConfig.BAR0_OFFSET) / 4;
        if (word >= PciConfig.BAR0_OFFSET && bar < BAR_SIZES.length) {
            return value & -BAR_SIZES[bar];
        }
        final int mask = switch (word) {
            case PciConfig.COMMAND_OFFSET -> COMMAND_MASK;
            case PciConfig.CACHE_LINE_SIZE_OFFSET, PciConfig.INTERRUPT_LINE_OFFSET -> 0xff;
            case MSIX_OFFSET -> (MsixCapability.ENABLE | MsixCapability.FUNCTION_MASK) << 16;
            default -> 0;
        };
        return old & ~mask | value & mask;
    }

    /**
     * {@return the command register}
     */
    public synchronized int command() {
        return get16(PciConfig.COMMAND_OFFSET);
    }

    /**
     * {@return the control word of the MSI-X capability}
     */
    public synchronized int msixControl() {
        return get16(MSIX_OFFSET + MsixCapability.CONTROL_OFFSET);
    }

    /**
     * Switches MSI-X on or off, as the platform does when vectors are enabled.
     *
     * @param enabled whether vectors fire.
     */
    public void enableMsix(boolean enabled) {
        write(MSIX_OFFSET + MsixCapability.CONTROL_OFFSET, 2, enabled ? MsixCapability.ENABLE : 0);
    }

    /**
     * {@return where a BAR's window is on the bus}
     *
     * @param bar 0 to 2
     */
    long busAddress(int bar) {
        return read(PciConfig.barOffset(bar), 4) & 0xffff_ffffL & -BAR_SIZES[bar];
    }

    @Override
    public String toString() {
        return PciConfig.LAYOUT.format(bytes, 0);
    }
}
