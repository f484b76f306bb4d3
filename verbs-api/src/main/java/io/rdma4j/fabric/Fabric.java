/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/**
 * An open fabric (fi_fabric): the device behind it is opened with its first domain, shared by its domains, and closed
 * with the last of them; a device that the hints named stays the application's. Thread-safe.
 */
public interface Fabric extends AutoCloseable {
    /**
     * What it was opened with.
     *
     * @return the info.
     */
    FabricInfo info();

    /**
     * Opens a domain.
     *
     * @param info one of {@link Fabrics#getInfo}, of this fabric; it may have been narrowed.
     * @return the domain; the caller owns it.
     * @throws FabricException FI_EINVAL for null or another fabric's, FI_ENODEV if the device cannot be opened.
     */
    Domain openDomain(FabricInfo info);

    /**
     * Opens an event queue.
     *
     * @param size how many events it holds at least; 0 for a default. It grows as needed: nothing is lost.
     * @return the queue; the caller owns it.
     * @throws FabricException FI_EINVAL if negative, FI_EBADFD.
     */
    EventQueue openEventQueue(int size);

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes it. Harmless when called again.
     *
     * @throws FabricException FI_EBUSY while domains or event queues are open.
     */
    @Override
    void close();
}
