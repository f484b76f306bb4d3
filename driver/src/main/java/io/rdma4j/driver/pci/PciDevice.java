/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

/**
 * One PCI function as a userspace driver sees it. The seam between the driver and what carries the device: Linux VFIO,
 * a software device in this JVM, or QEMU's device model.
 *
 * <p>The one who opened it owns it and closes it. Control calls are made by one thread at a time; a mapped or trapping
 * {@link Bar} may be written by the threads that own the queues.
 */
public interface PciDevice extends AutoCloseable {
    /**
     * The address that this device was opened by.
     *
     * @return the address, never null.
     */
    DeviceAddress address();

    /**
     * The configuration space (PCI header and capabilities).
     *
     * @return the same object each time.
     */
    ConfigSpace config();

    /**
     * One base address register's window.
     *
     * @param index 0 to 5.
     * @return the window, the same object each time.
     * @throws io.rdma4j.RdmaException ENODEV if the function has no such BAR, EBADFD if it is closed.
     */
    Bar bar(int index);

    /**
     * How the device reaches memory.
     *
     * @return the same object each time.
     */
    DmaDomain dma();

    /**
     * The MSI-X vectors.
     *
     * @return the same object each time.
     */
    Interrupts interrupts();

    /**
     * Resets the function, where the platform offers a function-level reset.
     *
     * @return true if it was reset; false if no reset is offered, and nothing was done.
     */
    boolean reset();

    /**
     * Gives the device back: interrupts off, bus mastering off, every DMA mapping that is left removed. Harmless when
     * called again.
     */
    @Override
    void close();
}
