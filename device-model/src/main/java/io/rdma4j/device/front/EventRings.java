/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.device.common.Counter;
import io.rdma4j.device.common.Counters;
import io.rdma4j.device.common.DeviceOptions;
import io.rdma4j.device.common.Quirk;
import io.rdma4j.device.engine.EngineEvents;
import io.rdma4j.hw.pvrdma.Bar1;
import io.rdma4j.hw.pvrdma.Cqne;
import io.rdma4j.hw.pvrdma.Eqe;
import io.rdma4j.hw.pvrdma.EventType;

/**
 * The asynchronous event ring and the ring of completion notifications. An event that finds its ring full is lost and
 * counted; those in the ring stay, and the interrupt comes all the same, so that the driver makes room.
 */
public final class EventRings implements EngineEvents {
    private final Counters counters;
    private final InterruptController interrupts;
    private final boolean silent;
    private final boolean returnsWhenFull;
    private final EventRing async = new EventRing(Eqe.LENGTH);
    private final EventRing notifications = new EventRing(Cqne.LENGTH);

    /**
     * Without rings: events are lost and counted until the shared region is loaded.
     *
     * @param options    decide whether there are events at all.
     * @param counters   of the device.
     * @param interrupts raised for events.
     */
    public EventRings(DeviceOptions options, Counters counters, InterruptController interrupts) {
        this.counters = counters;
        this.interrupts = interrupts;
        this.silent = options.has(Quirk.NO_EVENTS);
        this.returnsWhenFull = options.has(Quirk.NOTIFY_ALWAYS);
    }

    EventRing asyncRing() {
        return async;
    }

    EventRing notificationRing() {
        return notifications;
    }

    @Override
    public boolean async(int type, int info) {
        if (silent) {
            return false;
        }
        final boolean pushed = async.push(type, info);
        if (!pushed) {
            counters.record(Counter.EVENTS_LOST, "%s of object 0x%x: %s", EventType.NAMES.of(type), info, async);
        }
        interrupts.raise(Bar1.PVRDMA_INTR_VECTOR_ASYNC);
        return pushed;
    }

    @Override
    public void completion(int cqHandle, boolean interrupt) {
        final boolean pushed = notifications.push(cqHandle, 0);
        if (!pushed) {
            counters.increment(Counter.EVENTS_LOST);
        }
        if (interrupt && (pushed || !returnsWhenFull)) {
            interrupts.raise(Bar1.PVRDMA_INTR_VECTOR_CQ);
        }
    }

    @Override
    public void timer() {
        interrupts.wake();
    }

    @Override
    public boolean isLookedAfter() {
        return interrupts.isLookedAfter();
    }

    /** Waits until no event is being written. */
    public void quiesce() {
        async.pass();
        notifications.pass();
    }

    /** For tests: makes the producer index of the asynchronous ring one that cannot be. */
    public void corruptAsyncIndex() {
        async.corruptIndex();
    }

    /** For tests: makes the producer index of the notification ring one that cannot be. */
    public void corruptNotificationIndex() {
        notifications.corruptIndex();
    }

    @Override
    public String toString() {
        return "async " + async + "\nnotifications " + notifications + '\n';
    }
}
