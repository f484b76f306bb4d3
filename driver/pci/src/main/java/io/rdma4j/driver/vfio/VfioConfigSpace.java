/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.hw.pci.PciConfig;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The configuration space as VFIO shows it: some registers, such as the base addresses, are the kernel's imitation.
 */
final class VfioConfigSpace implements ConfigSpace {
    private final VfioDevice device;
    private final RegionInfo region;
    private final UnsafeBuffer word = Structs.allocate(Integer.BYTES);

    VfioConfigSpace(final VfioDevice device, final RegionInfo region) {
        this.device = device;
        this.region = region;
    }

    @Override
    public synchronized int read(final int offset, final int size) {
        check(offset, size);
        word.putInt(0, 0, LITTLE_ENDIAN);
        device.read(word, size, region.offset() + offset);
        return word.getInt(0, LITTLE_ENDIAN);
    }

    @Override
    public synchronized void write(final int offset, final int size, final int value) {
        check(offset, size);
        word.putInt(0, value, LITTLE_ENDIAN);
        device.write(word, size, region.offset() + offset);
    }

    private void check(final int offset, final int size) {
        if (size != Byte.BYTES && size != Short.BYTES && size != Integer.BYTES || offset < 0 || offset % size != 0
            || offset >= Math.min(PciConfig.SPACE_LENGTH, region.size())) {
            throw new IllegalArgumentException(String.format(
                "configuration space: offset 0x%x, size %d; sizes are 1, 2 and 4, offsets multiples of it below 0x%x",
                offset, size, Math.min(PciConfig.SPACE_LENGTH, region.size())));
        }
    }

    /** Sets or clears bits of the command register. */
    synchronized void command(final int bits, final boolean on) {
        final int command = read(PciConfig.COMMAND_OFFSET, Short.BYTES);
        write(PciConfig.COMMAND_OFFSET, Short.BYTES, on ? command | bits : command & ~bits);
    }

    /** Where a BAR is on the bus. */
    long barAddress(final int bar) {
        final int low = read(PciConfig.barOffset(bar), Integer.BYTES);
        final int next = bar + 1 < PciConfig.BAR_COUNT ? read(PciConfig.barOffset(bar + 1), Integer.BYTES) : 0;
        return PciConfig.barAddress(low, next);
    }
}
