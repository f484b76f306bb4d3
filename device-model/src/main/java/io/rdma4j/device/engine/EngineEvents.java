/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

/** Where the engine reports to: the event rings and interrupts. Called with locks of queues held; must not block. */
public interface EngineEvents {
    /**
     * Something happened to an object.
     *
     * @param type one of the event types, such as {@code PVRDMA_EVENT_CQ_ERR}.
     * @param info handle of the object.
     * @return false if the driver will not find it: it was lost, or this device tells nothing.
     */
    boolean async(int type, int info);

    /**
     * A completion queue got a completion.
     *
     * @param cqHandle  which.
     * @param interrupt whether the queue was armed for it.
     */
    void completion(int cqHandle, boolean interrupt);

    /** There is something to do at a time that is nearer than before: who sleeps until an interrupt looks again. */
    void timer();

    /**
     * {@return whether that has a thread of the device's own look, as that of a guest's machine}
     */
    default boolean isLookedAfter() {
        return false;
    }
}
