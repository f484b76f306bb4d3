/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

import io.rdma4j.DeviceAddress;
import io.rdma4j.driver.live.LivePublisher;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * One PCI function as a userspace driver sees it. The seam between the driver and what carries the device: Linux VFIO,
 * an emulated device in this JVM, or QEMU's device model.
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
     * The message interrupts: MSI-X, or MSI where the function has only that.
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
     * Asks to be told when the system takes the device away: it is unbound or unplugged, or its bus reports an error.
     * The system may wait until the device is closed, so that is what the listener should bring about; it may do so
     * itself. A provider whose devices are never taken away does nothing here.
     *
     * @param listener gets the reason, one sentence; called at most once, from a thread of the provider; a loss that
     *                 came before is told at once, on the calling thread. Set at most once.
     * @throws IllegalStateException if a listener was set before.
     */
    void onLoss(Consumer<String> listener);

    /**
     * Names a device that outlives this process. What a process that was killed made in such a device may still be
     * there when the next one opens it; the driver keeps a journal under this name for it.
     *
     * @return a name that no other device of this machine has, the same whenever the device is opened; empty for a
     *         device that ends with the process.
     */
    default Optional<String> persistentName() {
        return Optional.empty();
    }

    /**
     * Why no message would arrive at a GID, as far as the provider knows. Saves waiting for answers; who can be reached
     * now may be gone when he is asked.
     *
     * @param gidHigh first half of the GID, as a big-endian number.
     * @param gidLow  second half.
     * @return one sentence if nobody has it now; null if somebody has it, or the provider sees nothing of the network.
     */
    default String whyUnreachable(final long gidHigh, final long gidLow) {
        return null;
    }

    /**
     * Whether requests for a GID leave this process, so that several can be under way at once.
     *
     * @param gidHigh first half of the GID, as a big-endian number.
     * @param gidLow  second half.
     * @return false if the device carries each one out at the peer before it begins the next; true if it may not.
     */
    default boolean isByWire(final long gidHigh, final long gidLow) {
        return true;
    }

    /**
     * The address that the network has given the device, which becomes its GID if nobody chooses another one.
     *
     * @return 16 bytes in network order; null if it has none, and the driver makes one of the node's GUID.
     */
    default byte[] networkAddress() {
        return null;
    }

    /**
     * Publishes what the provider counts by itself, if anything. Called when the driver begins with the device.
     *
     * @param live where; valid until the device is closed, and harmless then.
     */
    default void publishCounters(final LivePublisher live) {
        // A real device counts nothing in this process.
    }

    /**
     * Gives the device back: interrupts off, bus mastering off, every DMA mapping that is left removed. Harmless when
     * called again.
     */
    @Override
    void close();
}
