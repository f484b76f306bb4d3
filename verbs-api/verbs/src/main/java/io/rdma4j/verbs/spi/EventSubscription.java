/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.spi;

import io.rdma4j.RdmaException;
import io.rdma4j.base.DaemonThreads;
import io.rdma4j.base.Undo;
import io.rdma4j.base.Uninterrupted;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventListener;
import io.rdma4j.verbs.AsyncEventSubscription;
import io.rdma4j.verbs.RdmaContext;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;

/** A thread that hands asynchronous events to a listener. It holds no lock while the listener has one. */
public final class EventSubscription implements AsyncEventSubscription {
    private static final System.Logger LOG = System.getLogger(EventSubscription.class.getPackageName());
    private static final long FOR_EVER = TimeUnit.DAYS.toNanos(1);

    private final RdmaContext context;
    private final Source events;
    private final long closeNanos;
    private final AsyncEventListener listener;
    private final Thread thread;
    private final AtomicLong delivered = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean closed;

    private EventSubscription(final RdmaContext context, final Source events, final AsyncEventListener listener,
        final long closeNanos, final BiFunction<String, Runnable, Thread> threads) {
        this.context = context;
        this.events = events;
        this.listener = listener;
        this.closeNanos = closeNanos;
        this.thread = threads.apply("rdma4j-events-" + context.address(), this::run);
    }

    /** Where a device's events come from. */
    public interface Source {
        /**
         * Takes the next event.
         *
         * @param nanos longest wait.
         * @param end   whether to wait no longer.
         * @return null if there is none in time.
         */
        AsyncEvent await(long nanos, BooleanSupplier end);

        /**
         * Whether there will be no more.
         *
         * @return true if so.
         */
        boolean isExhausted();

        /** Those who wait look whether they have to. */
        void wakeAll();

        /**
         * The one listener, or none.
         *
         * @return where it is; the same each time.
         */
        AtomicReference<EventSubscription> listener();
    }

    /**
     * Begins to hand events to a listener.
     *
     * @param context    the device; it is open.
     * @param events     its events.
     * @param listener   told of them.
     * @param closeNanos how long closing waits for the listener.
     * @return the subscription; null if there will be no more events.
     * @throws RdmaException EBUSY if there is one already.
     */
    public static EventSubscription start(final RdmaContext context, final Source events,
        final AsyncEventListener listener, final long closeNanos) {
        return start(context, events, listener, closeNanos, DaemonThreads::of);
    }

    /** The same, with threads from elsewhere. */
    static EventSubscription start(final RdmaContext context, final Source events, final AsyncEventListener listener,
        final long closeNanos, final BiFunction<String, Runnable, Thread> threads) {
        final EventSubscription subscription = new EventSubscription(context, events, listener, closeNanos, threads);
        if (!events.listener().compareAndSet(null, subscription)) {
            throw Errors.error(RdmaException.EBUSY, "listen", context, "there is a listener already: %s",
                events.listener().get());
        }
        if (events.isExhausted()) {
            subscription.forget();
            return null;
        }
        try (Undo undo = new Undo()) {
            undo.add(subscription::forget);
            subscription.thread.start();
            undo.forget();
        }
        return subscription;
    }

    private void forget() {
        events.listener().compareAndSet(this, null);
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
            // Who sees it closed may listen anew.
            forget();
            closed = true;
        }
    }

    private boolean isOver() {
        return closed || context.isClosed() || events.isExhausted();
    }

    private void deliver(final AsyncEvent event) {
        try {
            listener.onAsyncEvent(event);
        } catch (final RuntimeException | Error e) {
            // An error too: whoever registered the listener would wait for events that nobody delivers any more.
            if (failures.getAndIncrement() == 0) {
                LOG.log(System.Logger.Level.WARNING, context + ": the listener failed at the event " + event
                    + "; further failures are only counted", e);
            }
        } finally {
            delivered.incrementAndGet();
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
        events.wakeAll();
        if (Thread.currentThread() != thread && !Uninterrupted.join(thread, closeNanos)) {
            throw RdmaException.of("close event subscription")
                .device(context.address())
                .detail("%s has not returned; it is not called again", this)
                .errno(RdmaException.EBUSY)
                .hint("have it return, or acknowledge and hand the work to another thread")
                .build();
        }
    }

    @Override
    public String toString() {
        return "listener " + listener.getClass().getName() + " on thread \"" + thread.getName() + '"';
    }
}
