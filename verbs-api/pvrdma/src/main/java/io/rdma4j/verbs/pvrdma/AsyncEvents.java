/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventListener;
import io.rdma4j.verbs.AsyncEventSubscription;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.pvrdma.device.PvrdmaDevice;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.EventQueue;
import io.rdma4j.verbs.spi.EventSubscription;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Turns the device's asynchronous events into those of the interface. One of the waiting threads waits on the vector,
 * the others for it. The device has room for some hundred events, so they are fetched also when nobody asks, whenever
 * somebody comes by here.
 */
final class AsyncEvents implements EventSubscription.Source {
    private static final String LISTEN = "listen";
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    final EventQueue queue;
    private final PvrdmaContext context;
    private final AtomicReference<EventSubscription> listener = new AtomicReference<>();
    private boolean led;
    private boolean fatal;
    private boolean fetching;
    private long unknownTypes;
    private long unknownObjects;
    /** A failed device has told its last event. */
    private volatile boolean ended;

    AsyncEvents(final PvrdmaContext context) {
        this.context = context;
        this.queue = new EventQueue(context);
    }

    /** Takes the next event; null if there is none in time. */
    AsyncEvent await(final long nanos) {
        return await(nanos, () -> false);
    }

    /** The same, until somebody ends it. */
    @Override
    public AsyncEvent await(final long nanos, final BooleanSupplier end) {
        final long deadline = System.nanoTime() + nanos;
        AsyncEvent event = take();
        while (event == null && !context.isClosed() && !ended && !end.getAsBoolean()) {
            final long left = deadline - System.nanoTime();
            if (left <= 0 || Thread.currentThread().isInterrupted()) {
                break;
            }
            look(Math.min(left, SLICE_NANOS));
            event = take();
        }
        // The last one may have come between looking and finding that there will be no more.
        return event == null ? take() : event;
    }

    @Override
    public boolean isExhausted() {
        return ended && queue.isEmpty();
    }

    private AsyncEvent take() {
        fetch();
        return queue.take();
    }

    /** Fetches what the device has. For any thread that holds no lock of {@link EventQueue}. */
    void fetch() {
        if (context.isClosed() || context.isFailed() || !fetchNow()) {
            return;
        }
        // Comes back through the listener, like every other reason. Not under the lock: it looks at everything.
        context.device.fail("it reported a fatal error");
    }

    /** Whether the device told of its end. */
    private synchronized boolean fetchNow() {
        fetching = true;
        try {
            context.device.pollAsyncEvents(this::add);
        } finally {
            fetching = false;
        }
        final boolean result = fatal;
        fatal = false;
        return result;
    }

    /** Not where it was the ring that failed, on this thread: it is not to be read any more. */
    private synchronized void fetchLast() {
        if (!fetching && !context.isClosed()) {
            fetchNow();
        }
    }

    private void look(final long nanos) {
        if (!takeVector(nanos)) {
            return;
        }
        try {
            context.device.awaitAsyncEvents(nanos);
        } finally {
            giveVector();
        }
    }

    private synchronized boolean takeVector(final long nanos) {
        if (!led) {
            led = true;
            return true;
        }
        try {
            wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    private synchronized void giveVector() {
        led = false;
        notifyAll();
    }

    private void add(final int code, final int number) {
        if (code == PvrdmaDevice.EVENTS_LOST) {
            queue.add(AsyncEventType.EVENTS_LOST, context, 0);
            return;
        }
        final AsyncEventType type = AsyncEventType.of(code);
        if (type == AsyncEventType.DEVICE_FATAL) {
            fatal = true;
            return;
        }
        unknownTypes += type == AsyncEventType.UNKNOWN ? 1 : 0;
        final Object element = element(type, number);
        if (element == null) {
            unknownObjects++;
            return;
        }
        if (element instanceof PvrdmaQp && isFatal(type)) {
            ((PvrdmaQp) element).failed(true);
        } else if (type == AsyncEventType.SRQ_LIMIT_REACHED) {
            ((PvrdmaSrq) element).limitIs(0);
        }
        queue.add(type, element, number);
    }

    private static boolean isFatal(final AsyncEventType type) {
        return type == AsyncEventType.QP_FATAL || type == AsyncEventType.QP_REQ_ERR
            || type == AsyncEventType.QP_ACCESS_ERR;
    }

    private Object element(final AsyncEventType type, final int number) {
        switch (type) {
            case CQ_ERR:
                return context.cqs.get(number);
            case QP_FATAL:
            case QP_REQ_ERR:
            case QP_ACCESS_ERR:
            case COMM_EST:
            case SQ_DRAINED:
            case PATH_MIG:
            case PATH_MIG_ERR:
            case QP_LAST_WQE_REACHED:
                return context.qps.get(number);
            case SRQ_ERR:
            case SRQ_LIMIT_REACHED:
                return context.srqs.get(number);
            default:
                return context;
        }
    }

    /**
     * The driver gave the device up: the application learns of it as if the device had said so, after what the device
     * had told before.
     */
    void deviceFailed() {
        fetchLast();
        queue.add(AsyncEventType.DEVICE_FATAL, context, 0);
        ended = true;
        queue.endWaits();
        wakeAll();
    }

    /** The context is being closed: nobody need wait any more. */
    void end() {
        queue.endWaits();
        wakeAll();
    }

    @Override
    public synchronized void wakeAll() {
        notifyAll();
    }

    @Override
    public AtomicReference<EventSubscription> listener() {
        return listener;
    }

    AsyncEventSubscription listen(final AsyncEventListener told) {
        Errors.notNull(told, LISTEN, context, "listener");
        context.requireOpen(LISTEN);
        final EventSubscription subscription =
            EventSubscription.start(context, this, told, context.device.responseTimeoutNanos());
        if (subscription == null) {
            context.requireWorking(LISTEN);
        }
        return subscription;
    }

    synchronized void count(final Map<String, Long> counts) {
        counts.put("asynchronous events of unknown type", unknownTypes);
        counts.put("asynchronous events of objects that are not there", unknownObjects);
        queue.count(counts);
    }

    @Override
    public String toString() {
        final Map<String, Long> counts = new LinkedHashMap<>();
        count(counts);
        return counts + ", " + listener.get();
    }
}
