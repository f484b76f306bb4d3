/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The window of one base address register. Always accessible by single aligned 32-bit accesses; as mapped memory only
 * where the platform can map it (VFIO refuses windows below a page, an emulated device has no memory to map).
 *
 * <p>Each access is one bus transaction, in program order with respect to the other accesses of the same thread and to
 * its earlier stores to DMA memory. Thread-safe.
 */
public interface Bar {
    /**
     * Which BAR this is.
     *
     * @return 0 to 5.
     */
    int index();

    /**
     * Size of the window.
     *
     * @return bytes, at least 4.
     */
    long size();

    /**
     * Where the window is on the bus: what a device is told when it wants its own page frame numbers.
     *
     * @return the bus address, as in the base address register without its flag bits.
     */
    long busAddress();

    /**
     * Whether {@link #buffer()} can be used.
     *
     * @return true if the window is mapped into this process.
     */
    boolean isMapped();

    /**
     * The window as memory. Only single aligned 32-bit accesses are allowed: devices refuse others.
     *
     * @return a buffer over the mapped window.
     * @throws io.rdma4j.RdmaException EOPNOTSUPP if the window is not mapped.
     */
    UnsafeBuffer buffer();

    /**
     * Reads a register.
     *
     * @param offset byte offset, a multiple of 4, below {@link #size()}.
     * @return the value.
     * @throws IllegalArgumentException if the offset breaks the rule above.
     */
    int readInt(int offset);

    /**
     * Writes a register. Everything the thread stored to DMA memory before is visible to the device first.
     *
     * @param offset byte offset, a multiple of 4, below {@link #size()}.
     * @param value  the value.
     * @throws IllegalArgumentException if the offset breaks the rule above.
     */
    void writeInt(int offset, int value);
}
