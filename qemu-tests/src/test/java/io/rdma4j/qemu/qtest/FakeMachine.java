/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.hw.pci.MsixCapability;
import io.rdma4j.hw.pci.PciConfig;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/** A PC with one PCI function at 00:10.1: configuration space with BARs that can be sized, and memory words. */
final class FakeMachine implements BusAccess {
    static final int MSIX_AT = 0x40;
    static final int VECTORS = 3;
    static final int TABLE_OFFSET = 0x100;

    final ByteBuffer config = ByteBuffer.allocate(PciConfig.SPACE_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    final Map<Long, Integer> memory = new HashMap<>();
    private final int[] writable = new int[PciConfig.BAR_COUNT];
    private int address;

    FakeMachine() {
        config.putInt(PciConfig.VENDOR_ID_OFFSET, 0x0820_15ad);
        config.putInt(PciConfig.COMMAND_OFFSET, PciConfig.STATUS_CAP_LIST << 16);
        config.put(PciConfig.CAP_PTR_OFFSET, (byte) MSIX_AT);
        config.put(MSIX_AT, (byte) MsixCapability.CAP_ID);
        config.putShort(MSIX_AT + MsixCapability.CONTROL_OFFSET, (short) (VECTORS - 1));
        config.putInt(MSIX_AT + MsixCapability.TABLE_OFFSET, TABLE_OFFSET);
    }

    FakeMachine bar32(final int bar, final int size) {
        writable[bar] = -size;
        return this;
    }

    FakeMachine bar64(final int bar, final long size) {
        config.putInt(PciConfig.barOffset(bar), PciConfig.BAR_MEMORY_64 | PciConfig.BAR_PREFETCHABLE);
        writable[bar] = (int) -size;
        writable[bar + 1] = (int) (-size >> 32);
        return this;
    }

    FakeMachine ports(final int bar, final int size) {
        config.putInt(PciConfig.barOffset(bar), PciConfig.BAR_IO);
        writable[bar] = -size;
        return this;
    }

    int command() {
        return config.getShort(PciConfig.COMMAND_OFFSET);
    }

    private boolean selected() {
        return (address & 0xffff_ff00) == (1 << 31 | 0x10 << 11 | 1 << 8);
    }

    @Override
    public synchronized int portRead(final int port, final int size) {
        final int at = (address & 0xfc) + port - 0xcfc;
        final int mask = size == 4 ? -1 : (1 << 8 * size) - 1;
        return selected() ? config.getInt(at & ~3) >>> 8 * (at & 3) & mask : mask;
    }

    @Override
    public synchronized void portWrite(final int port, final int size, final int value) {
        if (port == 0xcf8) {
            address = value;
        } else if (selected()) {
            final int at = (address & 0xfc) + port - 0xcfc;
            for (int i = 0; i < size; i++) {
                write(at + i, (byte) (value >>> 8 * i));
            }
        }
    }

    /** Identification is read-only, so is the status; a BAR takes only address bits at and above its size. */
    private void write(final int at, final byte value) {
        final int bar = (at - PciConfig.BAR0_OFFSET) / 4;
        if (at >= PciConfig.BAR0_OFFSET && bar < PciConfig.BAR_COUNT) {
            final int mask = writable[bar] >>> 8 * (at & 3) & 0xff;
            config.put(at, (byte) (config.get(at) & ~mask | value & mask));
        } else if (at >= PciConfig.COMMAND_OFFSET && at < PciConfig.STATUS_OFFSET || at == MSIX_AT + 3) {
            config.put(at, value);
        }
    }

    @Override
    public synchronized int memoryRead(final long at) {
        return memory.getOrDefault(at, 0);
    }

    @Override
    public synchronized void memoryWrite(final long at, final int value) {
        memory.put(at, value);
    }
}
