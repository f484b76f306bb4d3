/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.base.Uninterrupted;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A daemon thread that does one thing after the other, or several: made when there is something to do, gone when there
 * was nothing for a while or it is closed. Thread-safe.
 */
final class Worker {
    private static final long IDLE_SECONDS = 1;
    private static final long CLOSE_SECONDS = 60;

    private final String name;
    private final int most;
    private final long closeNanos;
    private final ThreadFactory threads;
    private final Set<Thread> busy = ConcurrentHashMap.newKeySet();
    private ThreadPoolExecutor executor;
    private boolean closed;

    /** With so many threads at most: with one, what was taken first is done first. */
    Worker(final String name, final int most) {
        this(name, most, TimeUnit.SECONDS.toNanos(CLOSE_SECONDS), work -> DaemonThreads.of(name, work));
    }

    /** With another longest time to wait at the end, and other threads. */
    Worker(final String name, final int most, final long closeNanos, final ThreadFactory threads) {
        this.name = name;
        this.most = most;
        this.closeNanos = closeNanos;
        this.threads = threads;
    }

    /** False if it is closed or there is no thread for it: the work is not done. */
    synchronized boolean run(final Runnable work) {
        if (closed) {
            return false;
        }
        if (executor == null) {
            executor = new ThreadPoolExecutor(most, most, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                threads);
            executor.allowCoreThreadTimeOut(true);
        }
        final AtomicBoolean isTaken = new AtomicBoolean();
        final Runnable once = () -> {
            if (isTaken.compareAndSet(false, true)) {
                perform(work);
            }
        };
        try {
            executor.execute(once);
        } catch (final OutOfMemoryError e) {
            // It was put in line if the last thread was just going, which may have found another one for it.
            executor.remove(once);
            return !isTaken.compareAndSet(false, true);
        }
        return true;
    }

    private void perform(final Runnable work) {
        final Thread own = Thread.currentThread();
        busy.add(own);
        try {
            work.run();
        } finally {
            busy.remove(own);
        }
    }

    /**
     * Takes no more, interrupts what is under way, and waits until all that was taken is done: it should know that
     * there is no time left.
     *
     * @throws FabricException FI_ETIMEDOUT if it is still at it after {@value #CLOSE_SECONDS} seconds: what it uses
     *                         must stay then.
     */
    void close() {
        final ThreadPoolExecutor last;
        synchronized (this) {
            closed = true;
            last = executor;
        }
        if (last == null) {
            return;
        }
        last.shutdown();
        busy.forEach(Thread::interrupt);
        if (!Uninterrupted.await(closeNanos, left -> last.awaitTermination(left, TimeUnit.NANOSECONDS))) {
            throw FabricException.of("close " + name)
                .detail("work is still under way after %d ms, %d pieces wait behind it: %s",
                    TimeUnit.NANOSECONDS.toMillis(closeNanos), last.getQueue().size(),
                    busy.stream().map(thread -> Arrays.toString(thread.getStackTrace())).toList())
                .errno(FiErrno.FI_ETIMEDOUT).hint("what it uses is kept; close it again when that has ended").build();
        }
    }
}
