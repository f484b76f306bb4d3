/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.base.Deadline;
import io.rdma4j.driver.wait.WaitFd;
import io.rdma4j.fabric.EqAttributes;
import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.EventReader;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.WaitObject;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * An event queue that grows as needed. Readers are called without a lock, and may call back; each event goes to one of
 * them. Reading makes progress of {@linkplain #attach attached} sources.
 */
public final class FabricEventQueue implements EventQueue {
    private static final String OPEN = "open event queue";
    private static final String READ = "read event queue";
    private static final int DEFAULT_SIZE = 64;
    /** Sources tell for how long, not until when: what they tell twice of the same moment differs by this at most. */
    private static final long SAME_MOMENT_NS = 50_000;

    private final Fabric fabric;
    private final Consumer<FabricEventQueue> onClose;
    private final WaitObject waitObject;
    private final boolean writable;
    private final EventSources sources = new EventSources();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    // All below under the lock.
    private final EventEntries entries;
    /** Null without a descriptor. */
    private final WaitFd fd;
    private boolean readable;
    private Future<?> clock;
    /** When that is over. */
    private long clockAt;
    /** When sources want to be progressed, as far as who sleeps knows; of meaning if that is finite. */
    private long due;
    private boolean dueIsFinite;
    private int users;
    private int waiting;
    private int signals;
    private boolean closed;

    /**
     * Makes an empty queue that is waited for as the provider likes, and is not writable.
     *
     * @param fabric  what it belongs to.
     * @param size    least number of entries; 0 for a default.
     * @param onClose told once when it is closed.
     */
    public FabricEventQueue(final Fabric fabric, final int size, final Consumer<FabricEventQueue> onClose) {
        this(fabric, new EqAttributes().size(size), onClose);
    }

    private FabricEventQueue(
        final Fabric fabric, final EqAttributes attributes, final Consumer<FabricEventQueue> onClose) {
        this.fabric = fabric;
        this.onClose = onClose;
        waitObject = attributes.waitObject();
        writable = attributes.writable();
        final int size = attributes.size();
        // It grows: so room for a million that may never come is not taken in advance.
        entries = new EventEntries(Math.min(size == 0 ? DEFAULT_SIZE : size, 1 << 16));
        fd = WaitFds.openFor(OPEN, waitObject);
    }

    /**
     * Makes an empty queue.
     *
     * @param fabric     what it belongs to.
     * @param attributes what the application asks for.
     * @param onClose    told once when it is closed.
     * @return the queue; to be closed also if nobody gets to know it.
     * @throws FabricException FI_EINVAL for null and a negative size, FI_ENOSYS for MUTEX_COND, FI_EMFILE.
     */
    public static FabricEventQueue open(
        final Fabric fabric, final EqAttributes attributes, final Consumer<FabricEventQueue> onClose) {
        if (attributes == null) {
            throw invalid(OPEN, "attributes are null");
        }
        if (attributes.size() < 0) {
            throw invalid(OPEN, "size is %d, must be 0 or more", attributes.size());
        }
        WaitObjects.checked(OPEN, attributes.waitObject());
        return new FabricEventQueue(fabric, attributes, onClose);
    }

    /**
     * The fabric.
     *
     * @return what it was opened from.
     */
    public Fabric fabric() {
        return fabric;
    }

    /**
     * Somebody writes into it from now on: it cannot be closed.
     *
     * @throws FabricException FI_EBADFD if it is closed.
     */
    public void bind() {
        lock.lock();
        try {
            requireOpen("bind event queue");
            users++;
        } finally {
            lock.unlock();
        }
    }

    /** Somebody who called {@link #bind} writes no more. */
    public void unbind() {
        lock.lock();
        try {
            users--;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Makes progress of a source with each reading from now on, and binds it.
     *
     * @param source not attached yet.
     * @throws FabricException FI_EBADFD if it is closed.
     */
    public void attach(final EventSource source) {
        bind();
        sources.add(source);
        // Who waits has to learn how long it may sleep now.
        wake();
    }

    /**
     * Makes progress of a source no more, and unbinds it. Another thread may be in its {@link EventSource#progress} for
     * the last time, and write an event.
     *
     * @param source harmless if it is not attached.
     */
    public void detach(final EventSource source) {
        if (sources.remove(source)) {
            unbind();
        }
    }

    /** Who waits makes progress, and goes on waiting; the descriptor is readable until somebody made progress. */
    public void wake() {
        sources.wake();
        lock.lock();
        try {
            arrived.signalAll();
            show(true);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds an event, by somebody who is bound to it. Dropped if it is closed.
     *
     * @param entry the event.
     */
    public void write(final EventEntry entry) {
        lock.lock();
        try {
            if (!closed) {
                add(entry);
            }
        } finally {
            lock.unlock();
        }
    }

    private void add(final EventEntry entry) {
        entries.add(entry);
        arrived.signal();
        show(true);
    }

    /** Makes the descriptor say what is so. News: an edge, also where it is readable already. */
    private void show(final boolean news) {
        if (fd == null || closed) {
            return;
        }
        final boolean ready = !entries.isEmpty() || signals > 0 || sources.isAwake();
        if (ready && (news || !readable)) {
            fd.set();
        } else if (!ready && readable) {
            fd.clear();
        }
        readable = ready;
    }

    @Override
    public int read(final EventReader reader, final int limit) {
        requireArguments(reader, limit);
        requireOpenNow();
        return progressAndDrain(reader, limit);
    }

    /** A source that throws keeps nobody from the events that are there: it is told of when there are none. */
    private int progressAndDrain(final EventReader reader, final int limit) {
        RuntimeException failure = null;
        try {
            progress();
        } catch (final RuntimeException e) {
            failure = e;
        }
        final int taken = drain(reader, limit);
        if (taken == 0 && failure != null) {
            throw failure;
        }
        return taken;
    }

    @Override
    public int awaitRead(final EventReader reader, final int limit, final Duration timeout) {
        requireArguments(reader, limit);
        if (timeout == null) {
            throw invalid(READ, "timeout is null");
        }
        WaitObjects.requireWaiting(READ, waitObject, this);
        final long start = System.nanoTime();
        final long longest = Deadline.nanos(timeout);
        begin();
        try {
            int taken;
            long seen;
            do {
                seen = sources.wakes();
                taken = progressAndDrain(reader, limit);
            } while (taken == 0 && pause(seen, longest - (System.nanoTime() - start)));
            return taken;
        } finally {
            end();
        }
    }

    private void begin() {
        lock.lock();
        try {
            requireOpen(READ);
            waiting++;
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            waiting--;
            signals = Math.min(signals, Math.max(1, waiting));
            if (signals > 0 || !entries.isEmpty()) {
                // This thread may have been woken up for that, and leaves for another reason.
                arrived.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private static void requireArguments(final EventReader reader, final int limit) {
        requireReader(reader);
        if (limit < 1) {
            throw invalid(READ, "limit is %d, must be above 0", limit);
        }
    }

    private static void requireReader(final EventReader reader) {
        if (reader == null) {
            throw invalid(READ, "reader is null");
        }
    }

    private static FabricException invalid(final String operation, final String format, final Object... values) {
        return FabricException.of(operation).detail(format, values).errno(FiErrno.FI_EINVAL).build();
    }

    private void progress() {
        final boolean awake = sources.isAwake();
        final boolean done = sources.progress();
        if (sources.isEmpty() && !awake && done) {
            return;
        }
        final long idle = sources.idleNanos();
        lock.lock();
        try {
            if (waiting > 0 || fd != null) {
                plan(idle);
            }
            show(false);
        } finally {
            lock.unlock();
        }
    }

    /** Others may sleep for longer than sources can wait since this thread made progress. */
    private void plan(final long idle) {
        final boolean finite = idle != Long.MAX_VALUE;
        final long next = System.nanoTime() + idle;
        final boolean sooner = finite && (!dueIsFinite || due - next > SAME_MOMENT_NS);
        due = next;
        dueIsFinite = finite;
        if (sooner || sources.isAwake()) {
            arrived.signalAll();
        }
        // Another reader may have taken the descriptor's state away that would have told who watches it of this time.
        if (fd != null && (sooner || clock == null || clockAt - System.nanoTime() <= 0)) {
            wakeAfter(idle);
        }
    }

    private int drain(final EventReader reader, final int limit) {
        for (int taken = 0; taken < limit; taken++) {
            final EventEntry entry = next();
            if (entry == null) {
                return taken;
            }
            reader.onEvent(entry);
        }
        return limit;
    }

    private EventEntry next() {
        lock.lock();
        try {
            final EventEntry entry = entries.poll();
            show(false);
            return entry;
        } finally {
            lock.unlock();
        }
    }

    /** Sleeps for at most that long, or until there may be something to read. False: the wait is over. */
    private boolean pause(final long seen, final long rest) {
        final long turn = sources.turns();
        final long idle = sources.idleNanos();
        lock.lock();
        try {
            if (closed || takeSignal() || rest <= 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
            // What sources said is old if another thread made progress since, or was to.
            final boolean same = sources.wakes() == seen && sources.turns() == turn;
            if (same && waitObject != WaitObject.YIELD && entries.isEmpty()) {
                plan(idle);
                arrived.awaitNanos(Math.min(rest, idle));
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
        if (waitObject == WaitObject.YIELD) {
            Thread.yield();
        }
        return true;
    }

    private boolean takeSignal() {
        if (signals == 0) {
            return false;
        }
        signals--;
        show(false);
        return true;
    }

    @Override
    public int peek(final EventReader reader) {
        requireReader(reader);
        requireOpenNow();
        progress();
        final EventEntry entry = first();
        if (entry == null) {
            return 0;
        }
        reader.onEvent(entry);
        return 1;
    }

    private EventEntry first() {
        lock.lock();
        try {
            return entries.peek();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int readError(final EventReader reader) {
        requireReader(reader);
        requireOpenNow();
        progress();
        final EventEntry entry = nextError();
        if (entry == null) {
            return 0;
        }
        reader.onEvent(entry);
        return 1;
    }

    private EventEntry nextError() {
        lock.lock();
        try {
            final EventEntry entry = entries.peek();
            if (entry == null || !entry.isError()) {
                return null;
            }
            entries.poll();
            show(false);
            return entry;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void write(final FabricEvent event, final Object fid, final Object context, final long data) {
        final String operation = "write event";
        if (event == null) {
            throw invalid(operation, "event is null");
        }
        final EventEntry entry = EventRecord.of(event, fid, context).data(data);
        lock.lock();
        try {
            requireOpen(operation);
            if (!writable) {
                throw FabricException.of(operation).detail("%s is not writable", this).errno(FiErrno.FI_EACCES)
                    .hint("open it with EqAttributes.writable(true)").build();
            }
            add(entry);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void signal() {
        lock.lock();
        try {
            if (!closed && signals < Math.max(1, waiting)) {
                signals++;
            }
            arrived.signal();
            show(true);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int tryWait() {
        requireOpenNow();
        if (fd == null) {
            return -FiErrno.FI_ENOSYS;
        }
        progress();
        final long turn = sources.turns();
        final long idle = sources.idleNanos();
        lock.lock();
        try {
            requireOpen("wait for event queue");
            if (takeSignal() || readable || idle == 0 || sources.turns() != turn) {
                return -FiErrno.FI_EAGAIN;
            }
            plan(idle);
            return 0;
        } finally {
            lock.unlock();
        }
    }

    /** Who waits for the descriptor is in the kernel, where it cannot look at the time of the sources. */
    private void wakeAfter(final long idle) {
        if (clock != null) {
            clock.cancel(false);
            clock = null;
        }
        if (idle != Long.MAX_VALUE) {
            clockAt = System.nanoTime() + idle;
            clock = WaitClock.shared().after(idle, this::wake);
        }
    }

    @Override
    public int fd() {
        lock.lock();
        try {
            return fd == null || closed ? -1 : fd.fd();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public WaitObject waitObject() {
        return waitObject;
    }

    @Override
    public int size() {
        lock.lock();
        try {
            return entries.size();
        } finally {
            lock.unlock();
        }
    }

    /** Threads that wait. */
    int waiters() {
        lock.lock();
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    private void requireOpenNow() {
        lock.lock();
        try {
            requireOpen(READ);
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen(final String operation) {
        if (closed) {
            throw FabricException.of(operation).detail("%s", this).errno(FiErrno.FI_EBADFD).build();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            if (users > 0) {
                throw FabricException.of("close event queue")
                    .detail(users == 1 ? "1 object reports to it" : "%d objects report to it", users)
                    .errno(FiErrno.FI_EBUSY)
                    .hint("close the domains, endpoints and address vectors that are bound to it first").build();
            }
            closed = true;
            entries.clear();
            wakeAfter(Long.MAX_VALUE);
            arrived.signalAll();
            if (fd != null) {
                fd.close();
            }
        } finally {
            lock.unlock();
        }
        onClose.accept(this);
    }

    @Override
    public String toString() {
        return "event queue with " + entries.size() + " events" + (closed ? ", closed" : "");
    }
}
