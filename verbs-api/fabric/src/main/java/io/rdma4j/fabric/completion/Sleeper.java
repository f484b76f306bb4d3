/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.wait.WaitFd;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Who waits for one completion queue: a thread that sleeps, or one that has got 0 from tryWait and watches the file
 * descriptor. First it is armed, then the device is asked for an event, then the queue is looked at once more: what
 * comes after that look finds it armed.
 */
final class Sleeper {
    private final CompletionWaker waker;
    /** Null for queues without. */
    private final WaitFd fd;
    private final AtomicBoolean armed = new AtomicBoolean();
    private final AtomicBoolean signalled = new AtomicBoolean();
    private volatile Thread thread;
    /** When who watches the descriptor is to be woken up at the latest. */
    private volatile long due;
    private volatile boolean isTimed;

    Sleeper(final CompletionWaker waker, final WaitFd fd) {
        this.waker = waker;
        this.fd = fd;
        if (fd != null) {
            waker.clock().add(this);
        }
    }

    /** -1 without, and when it is closed. */
    int fd() {
        try {
            return fd == null ? -1 : fd.fd();
        } catch (final RdmaException e) {
            if (e.errno() == RdmaException.EBADFD) {
                return -1;
            }
            throw e;
        }
    }

    boolean hasFd() {
        return fd != null;
    }

    /** Reader: from now on {@link #wake} does something. */
    void arm() {
        if (armed.compareAndSet(false, true)) {
            waker.oneMore();
        }
    }

    /** Reader: nobody waits. */
    void disarm() {
        isTimed = false;
        if (armed.compareAndSet(true, false)) {
            waker.oneLess();
        }
    }

    /** Reader: the descriptor is not readable any more, until something comes. */
    void clearFd() {
        fd.clear();
    }

    /** Reader: the descriptor becomes readable then, if nothing comes before. */
    void dueIn(final long nanos) {
        due = System.nanoTime() + nanos;
        isTimed = true;
        waker.clock().lookAgain();
    }

    /** Clock: nanoseconds until somebody is to be woken up; 0 or less if that is done now. */
    long leftOrWake(final long now) {
        // It may have been woken up before it said until when it sleeps.
        if (!isTimed || !armed.get()) {
            return Long.MAX_VALUE;
        }
        final long left = due - now;
        if (left <= 0) {
            wake();
        }
        return left;
    }

    /** Reader: sleeps until it is woken up, or the time is over. After {@link #arm}. */
    void sleep(final long nanos) {
        final long end = System.nanoTime() + nanos;
        thread = Thread.currentThread();
        long left = nanos;
        while (left > 0 && armed.get() && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(this, left);
            left = end - System.nanoTime();
        }
        thread = null;
    }

    /** From any thread: there is something to read. */
    void wake() {
        if (!armed.compareAndSet(true, false)) {
            return;
        }
        isTimed = false;
        waker.oneLess();
        LockSupport.unpark(thread);
        setFd();
    }

    private void setFd() {
        if (fd == null) {
            return;
        }
        try {
            fd.set();
        } catch (final RdmaException e) {
            if (e.errno() != RdmaException.EBADFD) {
                throw e;
            }
            // Closed meanwhile: nobody watches it.
        }
    }

    /** From any thread: one wait ends. */
    void signal() {
        signalled.set(true);
        wake();
    }

    /** Reader: whether this wait was to end; once. */
    boolean takeSignal() {
        return signalled.get() && signalled.compareAndSet(true, false);
    }

    boolean isSignalled() {
        return signalled.get();
    }

    void close() {
        wake();
        if (fd != null) {
            waker.clock().remove(this);
            fd.close();
        }
    }
}
