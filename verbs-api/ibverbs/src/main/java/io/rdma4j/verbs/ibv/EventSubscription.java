/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

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
    private static final long CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(5);

    private final IbvContext context;
    private final AsyncEventListener listener;
    private final Thread thread;
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean closed;

    EventSubscription(final IbvContext context, final AsyncEventListener listener) {
        this.context = context;
        this.listener = listener;
        this.thread = DaemonThreads.of("rdma4j-events-" + context.address(), this::run);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!closed && !context.isClosed() && !context.events.isExhausted()) {
                final AsyncEvent event = context.events.await(FOR_EVER, () -> closed);
                if (event != null) {
                    deliver(event);
                }
                // The listener may have left it set; it ends no wait here.
                Thread.interrupted();
            }
        } finally {
            closed = true;
            context.forget(this);
        }
    }

    private void deliver(final AsyncEvent event) {
        try {
            delivered.incrementAndGet();
            listener.onAsyncEvent(event);
        } catch (final RuntimeException | Error e) {
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
        context.events.wakeAll();
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
            thread.join(CLOSE_MILLIS);
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
