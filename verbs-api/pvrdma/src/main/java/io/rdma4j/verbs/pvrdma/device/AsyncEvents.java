/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.driver.jfr.Flight;
import io.rdma4j.hw.pvrdma.Eqe;
import io.rdma4j.hw.pvrdma.EventType;
import io.rdma4j.hw.pvrdma.RingIndex;

import java.util.concurrent.atomic.AtomicBoolean;

/** Drains the asynchronous event ring. Thread-safe; listeners are called without a lock held. */
final class AsyncEvents {
    /** An event is its type, and what it is about. */
    private static final int WORDS = Eqe.LENGTH / Integer.BYTES;

    private final EventRing ring;
    private final EventWaiter waiter;
    private final FailureLatch latch;
    private final DriverCounters counters;
    private final AtomicBoolean fatalTold = new AtomicBoolean();
    private volatile AsyncEventListener listener;

    AsyncEvents(
        final EventRing ring, final EventWaiter waiter, final FailureLatch latch, final DriverCounters counters) {
        this.ring = ring;
        ring.watchForLoss();
        this.latch = latch;
        this.counters = counters;
        this.waiter = waiter;
    }

    EventWaiter waiter() {
        return waiter;
    }

    /** A device that failed before there was a listener tells the first one at once. */
    void listener(final AsyncEventListener newListener) {
        listener = newListener;
        if (latch.failed()) {
            deviceFatal();
        }
    }

    /** Drains to the registered listener. */
    int poll() {
        final AsyncEventListener current = listener;
        return poll(current == null ? (type, info) -> { } : current);
    }

    /** At most one ring full, so that a device that never stops cannot keep us. */
    int poll(final AsyncEventListener handler) {
        final int[] words = new int[WORDS];
        int events = 0;
        while (events < ring.elements()) {
            final int state = ring.take(words);
            if (state == RingIndex.CORRUPT) {
                counters.corruptRings.increment();
                latch.fail("the device wrote an index that is not one: " + ring);
                return events;
            }
            if (state == EventRing.OVERRUN) {
                return events + salvage(handler);
            }
            if (state == RingIndex.NO_DATA) {
                return events;
            }
            events++;
            counters.asyncEvents.increment();
            tell(handler, words[0], words[1]);
        }
        return events;
    }

    /** Some events were lost, or nearly: the others are told all the same. */
    private int salvage(final AsyncEventListener handler) {
        final int[] words = new int[ring.slots() * WORDS];
        final int events = ring.salvage(words, WORDS);
        counters.overrunEvents.increment();
        counters.asyncEvents.getAndAdd(events);
        tell(handler, PvrdmaDevice.EVENTS_LOST, 0);
        for (int i = 0; i < events; i++) {
            tell(handler, words[WORDS * i], words[WORDS * i + 1]);
        }
        return events;
    }

    private void tell(final AsyncEventListener handler, final int type, final int info) {
        final String name = type == PvrdmaDevice.EVENTS_LOST ? "EVENTS_LOST" : EventType.NAMES.of(type);
        Flight.asyncEvent(latch.deviceName(), name, type, info);
        handler.onAsyncEvent(type, info);
    }

    @Override
    public String toString() {
        return ring.toString();
    }

    /** Whoever finds the device failed must get on with its own error, so a listener's trouble is only written down. */
    void deviceFatal() {
        final AsyncEventListener current = listener;
        if (current == null || !fatalTold.compareAndSet(false, true)) {
            return;
        }
        try {
            current.onAsyncEvent(EventType.PVRDMA_EVENT_DEVICE_FATAL, 0);
        } catch (final RuntimeException e) {
            counters.listenerFailures.increment();
            counters.error(e);
        }
    }
}
