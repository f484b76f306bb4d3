/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.base.DaemonThreads;
import io.rdma4j.verbs.AsyncEvent;
import io.rdma4j.verbs.AsyncEventType;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Asynchronous events from the library until their acknowledgement. A thread fetches each as it comes, since a device
 * that is gone tells so by an event only; the library has its own acknowledgement at once.
 */
final class AsyncEvents {
    private static final int MOST = 4096;
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    /** Where the library has no event although its file is readable, as at its end. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final IbvContext context;
    private final Object fetching = new Object();
    private final UnsafeBuffer event = Struct.allocate(Abi.AsyncEvent.LENGTH);
    /** Objects by their addresses in the library. */
    private final Map<Long, IbvObject> objects = new HashMap<>();
    private final Deque<AsyncEvent> untaken = new ArrayDeque<>();
    private final Map<AsyncEvent, Thread> taken = new LinkedHashMap<>();
    private final List<IbvObject> closing = new ArrayList<>();
    private final FdWait wait;
    private Thread thread;
    private long fetched;
    private long unknownTypes;
    private long unknownObjects;
    private long lost;
    private int lostNow;
    private long dropped;
    private boolean ended;

    AsyncEvents(final IbvContext context, final int fd) {
        this.context = context;
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

    void add(final long pointer, final IbvObject object) {
        synchronized (this) {
            objects.put(pointer, object);
        }
    }

    synchronized void remove(final long pointer) {
        objects.remove(pointer);
    }

    /** Fetches what there is. */
    void fetch() {
        boolean fatal = false;
        synchronized (fetching) {
            // Also a file that is gone or closed is readable: then the library fails.
            while (!wait.isClosed() && wait.isReadable()
                && context.library.getAsyncEvent(context.pointer, event.addressOffset()) == 0) {
                fatal |= received();
                context.library.ackAsyncEvent(event.addressOffset());
            }
        }
        if (fatal) {
            context.fail("the device reported a fatal error, or was removed");
        }
    }

    private boolean received() {
        final AsyncEventType type = AsyncEventType.of(event.getInt(Abi.AsyncEvent.EVENT_TYPE));
        if (type == AsyncEventType.DEVICE_FATAL) {
            return true;
        }
        final long element = event.getLong(Abi.AsyncEvent.ELEMENT_QP);
        synchronized (this) {
            fetched++;
            unknownTypes += type == AsyncEventType.UNKNOWN ? 1 : 0;
            final Object about = isOfAnObject(type) ? objects.get(element) : context;
            if (about == null) {
                unknownObjects++;
                return false;
            }
            add(type, about, about == context ? event.getInt(Abi.AsyncEvent.ELEMENT_PORT_NUM) : (int) element);
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

    private void add(final AsyncEventType type, final Object about, final int number) {
        if (about instanceof IbvQp) {
            ((IbvQp) about).heard(type);
        }
        if (about instanceof IbvObject && ((IbvObject) about).isClosed()) {
            dropped++;
        } else if (untaken.size() >= MOST && type != AsyncEventType.DEVICE_FATAL) {
            lost++;
            lostNow++;
        } else {
            tellOfLost();
            untaken.add(new AsyncEvent(type, about, number, this::acknowledged));
            notifyAll();
        }
    }

    private void tellOfLost() {
        if (lostNow > 0) {
            untaken.add(new AsyncEvent(AsyncEventType.EVENTS_LOST, context, lostNow, this::acknowledged));
            lostNow = 0;
        }
    }

    private synchronized void acknowledged(final AsyncEvent done) {
        taken.remove(done);
        notifyAll();
    }

    /** The last event of a device that failed. */
    void deviceFailed() {
        synchronized (this) {
            add(AsyncEventType.DEVICE_FATAL, context, 0);
            ended = true;
            notifyAll();
        }
    }

    /** Nobody need wait any more. */
    synchronized void wakeAll() {
        notifyAll();
    }

    /** Ends the thread; the context is closed. */
    void end() {
        wakeAll();
        wait.wakeUp();
        boolean interrupted = false;
        while (thread != null && thread != Thread.currentThread() && thread.isAlive()) {
            try {
                thread.join();
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        synchronized (fetching) {
            wait.close();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized boolean isExhausted() {
        return ended && untaken.isEmpty() && lostNow == 0;
    }

    /** Takes the next event; null if there is none in time, or somebody ends it. */
    AsyncEvent await(final long nanos, final BooleanSupplier end) {
        if (!context.isClosed()) {
            fetch();
        }
        final long deadline = System.nanoTime() + nanos;
        synchronized (this) {
            AsyncEvent next = take();
            long left = nanos;
            while (next == null && left > 0 && !context.isClosed() && !ended && !end.getAsBoolean()
                && !Thread.currentThread().isInterrupted()) {
                sleep(Math.min(left, SLICE_NANOS));
                next = take();
                left = deadline - System.nanoTime();
            }
            return next;
        }
    }

    private void sleep(final long nanos) {
        try {
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(nanos, 1_000_000));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private AsyncEvent take() {
        if (untaken.isEmpty()) {
            tellOfLost();
        }
        for (final Iterator<AsyncEvent> events = untaken.iterator(); events.hasNext();) {
            final AsyncEvent next = events.next();
            if (closing.stream().noneMatch(object -> object.covers(next.element()))) {
                events.remove();
                if (next.element() instanceof IbvObject) {
                    taken.put(next, Thread.currentThread());
                }
                return next;
            }
        }
        return null;
    }

    /** Waits until all events of an object that were taken are acknowledged; no more are until {@link #endClose}. */
    synchronized void beginClose(final IbvObject object) {
        closing.add(object);
        boolean acknowledged = false;
        try {
            awaitAcknowledgements(object);
            acknowledged = true;
        } finally {
            if (!acknowledged) {
                closing.remove(object);
            }
        }
    }

    private void awaitAcknowledgements(final IbvObject object) {
        final long deadline = System.nanoTime() + CLOSE_NANOS;
        AsyncEvent open = awaited(object);
        while (open != null && !context.isClosed() && !context.isFailed()) {
            final Thread taker = taken.get(open);
            if (taker == Thread.currentThread() || deadline - System.nanoTime() <= 0
                || Thread.currentThread().isInterrupted()) {
                throw busy(object, open, taker);
            }
            sleep(SLICE_NANOS);
            open = awaited(object);
        }
    }

    private AsyncEvent awaited(final IbvObject object) {
        AsyncEvent found = null;
        for (final Map.Entry<AsyncEvent, Thread> entry : taken.entrySet()) {
            if (object.covers(entry.getKey().element())
                && (found == null || entry.getValue() == Thread.currentThread())) {
                found = entry.getKey();
            }
        }
        return found;
    }

    private RdmaException busy(final IbvObject object, final AsyncEvent open, final Thread taker) {
        return RdmaException.of("close")
            .device(context.address())
            .object(object)
            .detail("the event %s was taken by %s and is not acknowledged", open,
                taker == Thread.currentThread() ? "this thread" : "thread " + taker.getName())
            .errno(RdmaException.EBUSY)
            .hint("call AsyncEvent.acknowledge() for every event that was taken, then close")
            .build();
    }

    /** The object is closed, and its events with it; or it could not be, and they can be taken again. */
    synchronized void endClose(final IbvObject object) {
        closing.remove(object);
        if (object.isClosed()) {
            final int before = untaken.size();
            untaken.removeIf(each -> object.covers(each.element()));
            dropped += before - untaken.size();
        }
    }

    synchronized void count(final Map<String, Long> counts) {
        counts.put("asynchronous events", fetched);
        counts.put("asynchronous events of unknown type", unknownTypes);
        counts.put("asynchronous events of objects that are not there", unknownObjects);
        counts.put("asynchronous events to be taken", (long) untaken.size());
        counts.put("asynchronous events to be acknowledged", (long) taken.size());
        counts.put("asynchronous events lost as nobody took them", lost);
        counts.put("asynchronous events dropped with their object", dropped);
    }
}
