/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.driver.pci.ConfigSpace;
import io.rdma4j.hw.pci.PciConfig;

/**
 * Configuration space through the PC's port pair: an address to 0xcf8, then the data at 0xcfc.
 *
 * <pre>
 *   CONFIG_ADDRESS   31 enable | 30..24 0 | 23..16 bus | 15..11 device | 10..8 function | 7..2 register | 1..0 0
 * </pre>
 *
 * <p>Thread-safe: the two accesses of a pair are not separated.
 */
final class QtestConfigSpace implements ConfigSpace {
    static final int CONFIG_ADDRESS = 0xcf8;
    static final int CONFIG_DATA = 0xcfc;
    private static final int ENABLE = 1 << 31;

    private final BusAccess bus;
    private final int function;

    /**
     * A function of bus 0.
     *
     * @param bus      the processor's accesses.
     * @param device   0 to 31.
     * @param function 0 to 7.
     */
    QtestConfigSpace(final BusAccess bus, final int device, final int function) {
        this.bus = bus;
        this.function = ENABLE | device << 11 | function << 8;
    }

    @Override
    public int read(final int offset, final int size) {
        check(offset, size);
        synchronized (bus) {
            bus.portWrite(CONFIG_ADDRESS, Integer.BYTES, function | offset & ~3);
            return bus.portRead(CONFIG_DATA + (offset & 3), size);
        }
    }

    @Override
    public void write(final int offset, final int size, final int value) {
        check(offset, size);
        synchronized (bus) {
            bus.portWrite(CONFIG_ADDRESS, Integer.BYTES, function | offset & ~3);
            bus.portWrite(CONFIG_DATA + (offset & 3), size, value);
        }
    }

    private static void check(final int offset, final int size) {
        if (size != 1 && size != 2 && size != 4) {
            throw new IllegalArgumentException("an access has 1, 2 or 4 bytes, not " + size);
        }
        if (offset < 0 || offset >= PciConfig.SPACE_LENGTH || offset % size != 0) {
            throw new IllegalArgumentException(String.format(
                "offset 0x%x is not a multiple of %d from 0 to 0x%x", offset, size, PciConfig.SPACE_LENGTH - size));
        }
    }
}
