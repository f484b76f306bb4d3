/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import io.rdma4j.device.engine.Engine;
import io.rdma4j.device.front.EventRings;
import io.rdma4j.device.front.FaultPlan;

/** Ways to have one emulated device fail, for tests of drivers. Thread-safe. */
public final class EmulatedFaults {
    private final EmulatedDevice device;
    private final FaultPlan commands;
    private final Engine engine;
    private final EventRings events;

    EmulatedFaults(EmulatedDevice device, FaultPlan commands, Engine engine, EventRings events) {
        this.device = device;
        this.commands = commands;
        this.engine = engine;
        this.events = events;
    }

    /**
     * {@return faults of the command channel, each of which happens once}
     */
    public FaultPlan commands() {
        return commands;
    }

    /**
     * Makes the producer index of a completion queue one that cannot be.
     *
     * @param handle of the queue.
     */
    public void corruptCq(int handle) {
        engine.queues().corruptCqIndex(handle);
    }

    /** Makes the producer index of the asynchronous event ring one that cannot be. */
    public void corruptAsyncRing() {
        events.corruptAsyncIndex();
    }

    /** Makes the producer index of the completion notification ring one that cannot be. */
    public void corruptNotificationRing() {
        events.corruptNotificationIndex();
    }

    /**
     * Reports an event that did not happen.
     *
     * @param type event type.
     * @param info handle.
     */
    public void raiseEvent(int type, int info) {
        events.async(type, info);
    }

    /** Pulls the function out: registers read as all ones, doorbells and DMA do nothing, peers find nobody. */
    public void remove() {
        device.remove();
    }
}
