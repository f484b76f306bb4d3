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
     * @throws FabricException FI_EINVAL for null or another fabric's, FI_EBADFD if closed; else what keeps the device
     *                         from being opened or used, such as FI_ENODEV, FI_EBUSY, FI_EACCES, FI_EPERM, FI_ENOMEM.
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
     * Opens an event queue.
     *
     * @param attributes read now, and not kept.
     * @return the queue; the caller owns it.
     * @throws FabricException FI_EINVAL, FI_ENOSYS for a wait object that is not offered, FI_EBADFD.
     */
    EventQueue openEventQueue(EqAttributes attributes);

    /**
     * Opens an endpoint that listens for connections (fi_passive_ep).
     *
     * @param info    of connected endpoints; one of {@link Fabrics#getInfo}, of this fabric.
     * @param queue   where requests come.
     * @param service under which the name service of this node tells its address; null for none, or, in a format of
     *                sockets, for any port that is free.
     * @return the endpoint; the caller owns it.
     * @throws FabricException FI_EINVAL, FI_ENOEQ for no queue, FI_EADDRINUSE for a service that another one has,
     *                         FI_ENODEV, FI_EBADFD.
     */
    PassiveEndpoint openPassiveEndpoint(FabricInfo info, EventQueue queue, String service);

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes it. Harmless when called again.
     *
     * @throws FabricException FI_EBUSY while domains, passive endpoints or event queues are open.
     */
    @Override
    void close();
}
