/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.fabric.EventEntry;
import io.rdma4j.fabric.EventQueue;
import io.rdma4j.fabric.EventReader;
import io.rdma4j.fabric.Fabric;
import io.rdma4j.fabric.FabricEvent;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.WaitObject;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** An event queue that grows as needed. Readers are called without a lock; each event goes to one of them. */
public final class FabricEventQueue implements EventQueue {
    private static final int DEFAULT_SIZE = 64;

    private final Fabric fabric;
    private final Consumer<FabricEventQueue> onClose;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final ArrayDeque<EventEntry> entries;
    private int users;
    private boolean closed;

    /**
     * Makes an empty queue.
     *
     * @param fabric  what it belongs to.
     * @param size    least number of entries; 0 for a default.
     * @param onClose told once when it is closed.
     */
    public FabricEventQueue(final Fabric fabric, final int size, final Consumer<FabricEventQueue> onClose) {
        this.fabric = fabric;
        this.onClose = onClose;
        // It grows: so room for a million that may never come is not taken in advance.
        entries = new ArrayDeque<>(Math.min(size == 0 ? DEFAULT_SIZE : size, 1 << 16));
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
     * Adds an event, by somebody who is bound to it.
     *
     * @param entry the event.
     */
    public void write(final EventEntry entry) {
        lock.lock();
        try {
            entries.add(entry);
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read(final EventReader reader, final int limit) {
        requireArguments(reader, limit);
        requireOpenNow();
        return drain(reader, limit);
    }

    @Override
    public int awaitRead(final EventReader reader, final int limit, final Duration timeout) {
        requireArguments(reader, limit);
        if (timeout == null) {
            throw invalid("timeout is null");
        }
        requireOpenNow();
        return awaitEntry(timeout) ? drain(reader, limit) : 0;
    }

    private static void requireArguments(final EventReader reader, final int limit) {
        if (reader == null) {
            throw invalid("reader is null");
        }
        if (limit < 1) {
            throw invalid("limit is %d, must be above 0", limit);
        }
    }

    private static FabricException invalid(final String format, final Object... values) {
        return FabricException.of("read event queue").detail(format, values).errno(FiErrno.FI_EINVAL).build();
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
            return entries.poll();
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitEntry(final Duration timeout) {
        lock.lock();
        try {
            long rest = nanos(timeout);
            while (entries.isEmpty() && !closed && rest > 0) {
                rest = arrived.awaitNanos(rest);
            }
            return !entries.isEmpty();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** What is longer than 292 years lasts as long as that. */
    private static long nanos(final Duration timeout) {
        try {
            return timeout.toNanos();
        } catch (final ArithmeticException e) {
            return timeout.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }

    @Override
    public int peek(final EventReader reader) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int readError(final EventReader reader) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void write(final FabricEvent event, final Object fid, final Object context, final long data) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void signal() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int tryWait() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int fd() {
        return -1;
    }

    @Override
    public WaitObject waitObject() {
        return WaitObject.UNSPEC;
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
            requireOpen("read event queue");
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
                throw FabricException.of("close event queue").detail("%d domains report to it", users)
                    .errno(FiErrno.FI_EBUSY).hint("close these domains first").build();
            }
            closed = true;
            entries.clear();
            arrived.signalAll();
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
