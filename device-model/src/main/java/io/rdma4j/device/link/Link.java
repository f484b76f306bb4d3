/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

/** Where devices find each other by GID. Thread-safe. */
public interface Link {
    /**
     * Finds a device.
     *
     * @param high first half of the GID, big endian.
     * @param low  second half.
     * @return the device, or null if no device on the link has this GID.
     */
    Port route(long high, long low);

    /**
     * {@return a number that changes whenever a route may have changed}
     */
    int epoch();

    /**
     * Gives a GID to a device.
     *
     * @param port the device.
     * @param high first half of the GID.
     * @param low  second half.
     * @return false if another device has it.
     */
    boolean bind(Port port, long high, long low);

    /**
     * Takes a GID from a device; harmless if it has it not.
     *
     * @param port the device.
     * @param high first half of the GID.
     * @param low  second half.
     */
    void unbind(Port port, long high, long low);

    /** A route may have changed although no GID did, as a port went down or came up. */
    void reroute();

    /**
     * Remembers a send that nobody answered.
     *
     * @param again put on the agenda when something has {@linkplain #changed() changed}, once.
     */
    void whenChanged(Runnable again);

    /**
     * Forgets such a send; harmless if it is not there.
     *
     * @param again as remembered.
     */
    void forget(Runnable again);

    /** Somebody may answer now who did not before: puts all sends that nobody answered on the agenda. */
    void changed();

    /**
     * {@return the work that is to be done when the calling thread holds no lock any more}
     */
    Agenda agenda();
}
