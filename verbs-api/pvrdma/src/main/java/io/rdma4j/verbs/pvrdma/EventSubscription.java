/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.base.DaemonThreads;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventListener;
import io.rdma4j.verbs.AsyncEventSubscription;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A thread that hands asynchronous events to a listener. It holds no lock while the listener has one. */
final class EventSubscription implements AsyncEventSubscription {
    private static final System.Logger LOG = System.getLogger(EventSubscription.class.getPackageName());
    private static final long FOR_EVER = TimeUnit.DAYS.toNanos(1);

    private final PvrdmaContext context;
    private final AsyncEvents events;
    private final AsyncEventListener listener;
    private final Thread thread;
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean closed;

    EventSubscription(final PvrdmaContext context, final AsyncEvents events, final AsyncEventListener listener) {
        this.context = context;
        this.events = events;
        this.listener = listener;
        this.thread = DaemonThreads.of("rdma4j-events-" + context.address(), this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!isOver()) {
                final AsyncEvent event = events.await(FOR_EVER, () -> closed);
                if (event != null) {
                    deliver(event);
                }
                // The listener may have left it set; it ends no wait here.
                Thread.interrupted();
            }
        } finally {
            closed = true;
            events.forget(this);
        }
    }

    private boolean isOver() {
        return closed || context.isClosed() || events.isExhausted();
    }

    private void deliver(final AsyncEvent event) {
        try {
            delivered.incrementAndGet();
            listener.onAsyncEvent(event);
        } catch (final RuntimeException | Error e) {
            // An error too: whoever registered the listener would wait for events that nobody delivers any more.
            if (failures.getAndIncrement() == 0) {
                LOG.log(System.Logger.Level.WARNING, context + ": the listener failed at the event " + event
                    + "; further failures are only counted", e);
            }
        } finally {
            event.acknowledge();
        }
    }

    @Override
    public long delivered() {
        return delivered.get();
    }

    @Override
    public long failures() {
        return failures.get();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        events.end();
        if (Thread.currentThread() != thread && !returnsInTime()) {
            throw RdmaException.of("close event subscription")
                .device(context.address())
                .detail("%s has not returned; it is not called again", this)
                .errno(RdmaException.EBUSY)
                .hint("have it return, or acknowledge and hand the work to another thread")
                .build();
        }
    }

    private boolean returnsInTime() {
        try {
            thread.join(TimeUnit.NANOSECONDS.toMillis(context.device.responseTimeoutNanos()) + 1);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    @Override
    public String toString() {
        return "listener " + listener.getClass().getName() + " on thread \"" + thread.getName() + '"';
    }
}
