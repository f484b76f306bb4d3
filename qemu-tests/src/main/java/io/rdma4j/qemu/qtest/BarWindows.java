/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.hw.pci.PciConfig;

/**
 * Sizes and places the memory BARs of a function: what firmware would have done. Written with all ones, a base
 * address register reads back its size as the lowest address bit that is set; the device does not decode meanwhile.
 */
final class BarWindows {
    /** Where QEMU's PC has nothing else: above its RAM of up to 2 GiB, below the interrupt controllers. */
    static final long FIRST = 0xe000_0000L;
    static final long LIMIT = 0xfe00_0000L;
    private static final long ADDRESS_BITS = ~0xfL;
    private static final long LOW_WORD = 0xffff_ffffL;

    private final long[] addresses = new long[PciConfig.BAR_COUNT];
    private final long[] sizes = new long[PciConfig.BAR_COUNT];

    private BarWindows() {
    }

    /**
     * Sizes and places all memory BARs. The function decodes no memory and masters no bus afterwards.
     *
     * @param config its configuration space.
     * @return the windows.
     * @throws IllegalStateException if they do not fit.
     */
    static BarWindows assign(final ConfigSpace config) {
        final int command = config.read(PciConfig.COMMAND_OFFSET, Short.BYTES);
        config.write(PciConfig.COMMAND_OFFSET, Short.BYTES,
            command & ~(PciConfig.IO | PciConfig.MEMORY | PciConfig.BUS_MASTER));
        final BarWindows windows = new BarWindows();
        long next = FIRST;
        int bar = 0;
        while (bar < PciConfig.BAR_COUNT) {
            final int low = probe(config, bar);
            final boolean wide = PciConfig.isMemory64(low);
            final long high = wide ? probe(config, bar + 1) : -1;
            final long bits = (high << Integer.SIZE | low & LOW_WORD) & ADDRESS_BITS;
            // No address bit at all: no such BAR. I/O ports are not used here.
            final boolean present = wide ? bits != 0 : (low & ADDRESS_BITS) != 0;
            if (present && (low & PciConfig.BAR_IO) == 0) {
                next = windows.place(config, bar, Long.lowestOneBit(bits), next, wide);
            }
            bar += wide ? 2 : 1;
        }
        return windows;
    }

    private static int probe(final ConfigSpace config, final int bar) {
        config.write(PciConfig.barOffset(bar), Integer.BYTES, -1);
        return config.read(PciConfig.barOffset(bar), Integer.BYTES);
    }

    private long place(
        final ConfigSpace config, final int bar, final long size, final long free, final boolean wide) {
        final long address = free + size - 1 & -size;
        if (size > LIMIT - FIRST || address + size > LIMIT) {
            throw new IllegalStateException(String.format(
                "BAR%d of 0x%x bytes does not fit between 0x%x and 0x%x", bar, size, free, LIMIT));
        }
        config.write(PciConfig.barOffset(bar), Integer.BYTES, (int) address);
        if (wide) {
            config.write(PciConfig.barOffset(bar + 1), Integer.BYTES, 0);
        }
        addresses[bar] = address;
        sizes[bar] = size;
        return address + size;
    }

    /**
     * Size of a BAR.
     *
     * @param bar any number.
     * @return bytes, 0 if there is no such memory BAR.
     */
    long size(final int bar) {
        return bar < 0 || bar >= sizes.length ? 0 : sizes[bar];
    }

    /**
     * Where a BAR was placed.
     *
     * @param bar one that has a size.
     * @return its bus address.
     */
    long address(final int bar) {
        return addresses[bar];
    }
}
