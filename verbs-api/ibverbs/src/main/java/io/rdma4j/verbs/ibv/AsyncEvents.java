/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.base.DaemonThreads;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import io.rdma4j.verbs.spi.EventQueue;
import io.rdma4j.verbs.spi.EventSubscription;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Asynchronous events from the library until their acknowledgement. A thread fetches each as it comes, since a device
 * that is gone tells so by an event only; the library has its own acknowledgement at once.
 */
final class AsyncEvents implements EventSubscription.Source {
    private static final String FETCH = "fetch asynchronous events";
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Where the library has no event although its file is readable, as at its end. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final IbvContext context;
    private final Turn fetching;
    private final UnsafeBuffer event = Struct.allocate(Abi.AsyncEvent.LENGTH);
    /** Objects by their addresses in the library. */
    private final Map<Long, IbvObject> objects = new HashMap<>();
    final EventQueue queue;
    private final AtomicReference<EventSubscription> listener = new AtomicReference<>();
    private final FdWait wait;
    /** What the event that is being handled is about; not given back meanwhile. */
    private volatile Object hearing;
    private Thread thread;
    private long fetched;
    private long unknownTypes;
    private long unknownObjects;
    private boolean ended;

    AsyncEvents(final IbvContext context, final int fd) {
        this.context = context;
        this.fetching = new Turn(context, "asynchronous events");
        this.queue = new EventQueue(context);
        this.wait = new FdWait(fd);
    }

    void start() {
        thread = DaemonThreads.start("rdma4j-async-" + context.address(), this::run);
    }

    private void run() {
        while (!context.isClosed() && !context.isFailed()) {
            if (wait.await(TimeUnit.SECONDS.toNanos(1))) {
                fetch();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** Fetches what there is, and waits for who is at it; not for ever, as it may hang in the library. */
    void fetch() {
        final boolean fatal;
        try {
            fatal = fetching.get(FETCH, this::fetchNow);
        } catch (final RdmaException e) {
            // It has what there is.
            return;
        }
        failIf(fatal);
    }

    private void failIf(final boolean fatal) {
        if (fatal) {
            context.fail("the device reported a fatal error, or was removed");
        }
    }

    void add(final long pointer, final IbvObject object) {
        synchronized (this) {
            objects.put(pointer, object);
        }
    }

    /** No event is about it any more; waits for who asks the library about it because of one. */
    void remove(final long pointer, final IbvObject object) {
        synchronized (this) {
            objects.remove(pointer);
        }
        LibraryWait.until("close " + object, context, object, () -> hearing != object,
            () -> "a thread does not come out of handling an event of it");
    }

    /** False if there was no fatal one. */
    private boolean fetchNow() {
        boolean fatal = false;
        // Also a file that is gone or closed is readable: then the library fails.
        while (!wait.isClosed() && wait.isReadable()
            && context.library.getAsyncEvent(context.pointer, event.addressOffset()) == 0) {
            try {
                fatal |= received();
            } finally {
                // Without that the library would wait for it when the object is destroyed.
                context.library.ackAsyncEvent(event.addressOffset());
            }
        }
        return fatal;
    }

    private boolean received() {
        final AsyncEventType type = AsyncEventType.of(event.getInt(Abi.AsyncEvent.EVENT_TYPE));
        if (type == AsyncEventType.DEVICE_FATAL) {
            return true;
        }
        final long element = event.getLong(Abi.AsyncEvent.ELEMENT_QP);
        final Object about;
        synchronized (this) {
            fetched++;
            unknownTypes += type == AsyncEventType.UNKNOWN ? 1 : 0;
            about = isOfAnObject(type) ? objects.get(element) : context;
            hearing = about;
            if (about == null) {
                unknownObjects++;
                return false;
            }
        }
        try {
            if (about instanceof IbvQp) {
                // Asks the library, under no lock.
                ((IbvQp) about).heard(type);
            } else if (about instanceof IbvSrq && type == AsyncEventType.SRQ_LIMIT_REACHED) {
                ((IbvSrq) about).limitIs(0);
            }
            add(type, about, about == context ? event.getInt(Abi.AsyncEvent.ELEMENT_PORT_NUM) : (int) element);
        } finally {
            hearing = null;
        }
        return false;
    }

    private static boolean isOfAnObject(final AsyncEventType type) {
        return switch (type) {
            case CQ_ERR, QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR, COMM_EST, SQ_DRAINED, PATH_MIG, PATH_MIG_ERR,
                QP_LAST_WQE_REACHED, SRQ_ERR, SRQ_LIMIT_REACHED -> true;
            default -> false;
        };
    }

    private synchronized void add(final AsyncEventType type, final Object about, final int number) {
        queue.add(type, about, number);
        notifyAll();
    }

    /** The last event of a device that failed. */
    void deviceFailed() {
        synchronized (this) {
            add(AsyncEventType.DEVICE_FATAL, context, 0);
            ended = true;
        }
        queue.endWaits();
    }

    @Override
    public synchronized void wakeAll() {
        notifyAll();
    }

    @Override
    public AtomicReference<EventSubscription> listener() {
        return listener;
    }

    /** Ends the thread, and waits for it and for whoever else fetches; the context is closed. */
    void end() {
        if (wait.isClosed()) {
            return;
        }
        queue.endWaits();
        wakeAll();
        wait.wakeUp();
        LibraryWait.until(IbvContext.CLOSE, context, context,
            () -> thread == null || thread == Thread.currentThread() || !thread.isAlive(),
            () -> "thread '" + thread.getName() + "' does not come out of fetching asynchronous events");
        fetching.run(IbvContext.CLOSE, wait::close);
    }

    @Override
    public synchronized boolean isExhausted() {
        return ended && queue.isEmpty();
    }

    @Override
    public AsyncEvent await(final long nanos, final BooleanSupplier end) {
        final long deadline = System.nanoTime() + nanos;
        final AsyncEvent first = take();
        if (first != null) {
            return first;
        }
        if (!context.isClosed()) {
            // Not waited for who is at it: it may hang, and what it fetches is in the queue before it goes.
            failIf(fetching.ifFree(FETCH, this::fetchNow));
        }
        synchronized (this) {
            AsyncEvent next = queue.take();
            long left = nanos;
            while (next == null && left > 0 && !context.isClosed() && !ended && !end.getAsBoolean()
                && !Thread.currentThread().isInterrupted()) {
                sleep(Math.min(left, SLICE_NANOS));
                next = queue.take();
                left = deadline - System.nanoTime();
            }
            return next;
        }
    }

    private synchronized AsyncEvent take() {
        return queue.take();
    }

    private void sleep(final long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(nanos, 1_000_000));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void count(final Map<String, Long> counts) {
        counts.put("asynchronous events", fetched);
        counts.put("asynchronous events of unknown type", unknownTypes);
        counts.put("asynchronous events of objects that are not there", unknownObjects);
        queue.count(counts);
    }
}
