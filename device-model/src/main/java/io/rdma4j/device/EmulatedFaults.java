/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device;

import io.rdma4j.device.engine.Engine;
import io.rdma4j.device.front.EventRings;
import io.rdma4j.device.front.FaultPlan;
import io.rdma4j.hw.pvrdma.EventType;

import java.time.Duration;

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

    /**
     * Takes the port down: PORT_ERR is reported, QUERY_PORT tells, and messages are lost in both directions.
     * Connections try again as long as their attributes allow.
     */
    public void portDown() {
        engine.port(false);
    }

    /** Brings the port up again: PORT_ACTIVE is reported, and connections that still try get through at once. */
    public void portUp() {
        engine.port(true);
    }

    /**
     * Reports that the GID table changed. A pvrdma device has no GIDs of its own: its driver binds them and knows, so
     * nothing but this makes such an event.
     */
    public void gidChange() {
        events.async(EventType.PVRDMA_EVENT_GID_CHANGE, 1);
    }

    /**
     * Has the clock of the device go ahead, by which connections wait for answers and receives: nobody answers for so
     * long, and no test has to wait for that. What is due is tried with the next doorbell, or when who waits looks.
     *
     * @param time that is to have passed.
     */
    public void passTime(Duration time) {
        engine.passTime(time.toNanos());
    }

    /**
     * Has the device die without going away: DEVICE_FATAL is reported, doorbells do nothing, commands are refused,
     * peers find nobody, until the driver resets it.
     */
    public void fatal() {
        device.die();
    }

    /** Pulls the function out: registers read as all ones, doorbells and DMA do nothing, peers find nobody. */
    public void remove() {
        device.remove();
    }
}
