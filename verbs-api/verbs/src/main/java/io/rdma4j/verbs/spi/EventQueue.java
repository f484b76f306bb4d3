/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.RdmaContext;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Asynchronous events from the device's telling until the acknowledgement: those that nobody took yet, of which only
 * some are kept, and those that were taken, which hold their objects open. The lock guards both; under it nothing else
 * is locked and nobody is called.
 */
public final class EventQueue {
    /** More than a device's ring holds, and little memory. */
    public static final int MOST = 4096;

    private final RdmaContext context;
    private final Deque<AsyncEvent> untaken = new ArrayDeque<>();
    private final Map<AsyncEvent, Thread> taken = new LinkedHashMap<>();
    /** Objects that are being closed: their events stay where they are until that succeeded or failed. */
    private final List<Subject> closing = new ArrayList<>();
    private int lostNow;
    private long lost;
    private long dropped;

    /** What an event can be about, and is closed with its events. */
    public interface Subject {
        /**
         * Whether it was closed.
         *
         * @return true if so.
         */
        boolean isClosed();

        /**
         * Whether closing this closes what an event is about.
         *
         * @param element of an event.
         * @return true if so.
         */
        boolean covers(Object element);
    }

    /**
     * An empty queue.
     *
     * @param context the device.
     */
    public EventQueue(final RdmaContext context) {
        this.context = context;
    }

    /**
     * Adds an event, if there is room and its object is there.
     *
     * @param type    of the event.
     * @param element what it is about.
     * @param number  what the device calls that.
     */
    public synchronized void add(final AsyncEventType type, final Object element, final int number) {
        if (element instanceof Subject && ((Subject) element).isClosed()) {
            dropped++;
        } else if (untaken.size() >= MOST && type != AsyncEventType.DEVICE_FATAL) {
            lostNow++;
            lost++;
        } else {
            tellOfLost();
            untaken.add(new AsyncEvent(type, element, number, this::acknowledged));
        }
    }

    /** In the place of those that were lost. */
    private void tellOfLost() {
        if (lostNow > 0) {
            untaken.add(new AsyncEvent(AsyncEventType.EVENTS_LOST, context, lostNow, this::acknowledged));
            lostNow = 0;
        }
    }

    /**
     * Takes the oldest event for this thread.
     *
     * @return null if there is none.
     */
    public synchronized AsyncEvent take() {
        if (untaken.isEmpty()) {
            tellOfLost();
        }
        for (final Iterator<AsyncEvent> events = untaken.iterator(); events.hasNext();) {
            final AsyncEvent event = events.next();
            if (!isClosing(event.element())) {
                events.remove();
                if (event.element() instanceof Subject) {
                    taken.put(event, Thread.currentThread());
                }
                return event;
            }
        }
        return null;
    }

    /**
     * Whether there is nothing to take.
     *
     * @return true if so.
     */
    public synchronized boolean isEmpty() {
        return untaken.isEmpty() && lostNow == 0;
    }

    private boolean isClosing(final Object element) {
        for (final Subject object : closing) {
            if (object.covers(element)) {
                return true;
            }
        }
        return false;
    }

    private synchronized void acknowledged(final AsyncEvent event) {
        taken.remove(event);
        notifyAll();
    }

    /** Nobody need wait for acknowledgements any more: the device failed, or is being closed. */
    public synchronized void endWaits() {
        notifyAll();
    }

    /**
     * Waits until all events of an object that were taken are acknowledged; no more are taken until {@link #closed}.
     *
     * @param object       what is to be closed.
     * @param timeoutNanos longest wait.
     * @throws RdmaException EBUSY if they are not in time, or never can be.
     */
    public synchronized void close(final Subject object, final long timeoutNanos) {
        closing.add(object);
        boolean acknowledged = false;
        try {
            awaitAcknowledgements(object, timeoutNanos);
            acknowledged = true;
        } finally {
            if (!acknowledged) {
                closing.remove(object);
            }
        }
    }

    private void awaitAcknowledgements(final Subject object, final long timeoutNanos) {
        final long deadline = System.nanoTime() + timeoutNanos;
        AsyncEvent event = awaited(object);
        while (event != null && !context.isClosed() && !context.isFailed()) {
            final long left = deadline - System.nanoTime();
            final Thread taker = taken.get(event);
            if (taker == Thread.currentThread() || left <= 0 || Thread.currentThread().isInterrupted()) {
                throw busy(object, event, taker);
            }
            sleep(left);
            event = awaited(object);
        }
    }

    /** An event that was taken and not acknowledged; first those for which waiting is vain. */
    private AsyncEvent awaited(final Subject object) {
        AsyncEvent found = null;
        for (final Map.Entry<AsyncEvent, Thread> entry : taken.entrySet()) {
            if (object.covers(entry.getKey().element())
                && (found == null || entry.getValue() == Thread.currentThread())) {
                found = entry.getKey();
            }
        }
        return found;
    }

    private void sleep(final long nanos) {
        try {
            wait(TimeUnit.NANOSECONDS.toMillis(nanos) + 1);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private RdmaException busy(final Subject object, final AsyncEvent event, final Thread taker) {
        return RdmaException.of("close")
            .device(context.address())
            .object(object)
            .detail("the event %s was taken by %s and is not acknowledged", event,
                taker == Thread.currentThread() ? "this thread" : "thread " + taker.getName())
            .errno(RdmaException.EBUSY)
            .hint("call AsyncEvent.acknowledge() for every event that was taken, then close")
            .build();
    }

    /**
     * The object is closed, and its events with it; or it could not be, and its events can be taken again.
     *
     * @param object what {@link #close} was called for.
     */
    public synchronized void closed(final Subject object) {
        closing.remove(object);
        if (object.isClosed()) {
            final int before = untaken.size();
            untaken.removeIf(event -> object.covers(event.element()));
            dropped += before - untaken.size();
        }
    }

    /**
     * Adds its counters to others.
     *
     * @param counts by their names.
     */
    public synchronized void count(final Map<String, Long> counts) {
        counts.put("asynchronous events to be taken", (long) untaken.size());
        counts.put("asynchronous events to be acknowledged", (long) taken.size());
        counts.put("asynchronous events lost as nobody took them", lost);
        counts.put("asynchronous events dropped with their object", dropped);
    }
}
