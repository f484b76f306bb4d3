/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.sysfs;

/**
 * One base address register as the kernel has placed it: a line of the {@code resource} file.
 *
 * @param index number of the BAR, 0 to 5.
 * @param start first bus address.
 * @param end   last bus address.
 * @param flags the kernel's {@code IORESOURCE_*} bits.
 */
public record PciResource(int index, long start, long end, long flags) {
    private static final long IORESOURCE_MEM = 0x200;

    /**
     * How large it is.
     *
     * @return bytes; 0 for one that was not placed.
     */
    public long size() {
        return end == 0 ? 0 : end - start + 1;
    }

    /**
     * Whether it is memory, and not I/O ports.
     *
     * @return true for memory.
     */
    public boolean isMemory() {
        return (flags & IORESOURCE_MEM) != 0;
    }
}
