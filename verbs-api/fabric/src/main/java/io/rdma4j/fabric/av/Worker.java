/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.util.Arrays;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A daemon thread that does one thing after the other: made when there is something to do, gone when there was nothing
 * for a while or it is closed. Thread-safe.
 */
final class Worker {
    private static final long IDLE_SECONDS = 1;
    private static final long CLOSE_SECONDS = 60;

    private final String name;
    private final long closeNanos;
    private final ThreadFactory threads;
    private ThreadPoolExecutor executor;
    private boolean closed;
    private volatile Thread thread;

    Worker(final String name) {
        this(name, TimeUnit.SECONDS.toNanos(CLOSE_SECONDS), work -> DaemonThreads.of(name, work));
    }

    /** With another longest time to wait at the end, and other threads. */
    Worker(final String name, final long closeNanos, final ThreadFactory threads) {
        this.name = name;
        this.closeNanos = closeNanos;
        this.threads = threads;
    }

    /** False if it is closed or there is no thread for it: the work is not done. */
    synchronized boolean run(final Runnable work) {
        if (closed) {
            return false;
        }
        if (executor == null) {
            executor = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                this::thread);
            executor.allowCoreThreadTimeOut(true);
        }
        final AtomicBoolean isTaken = new AtomicBoolean();
        final Runnable once = () -> {
            if (isTaken.compareAndSet(false, true)) {
                work.run();
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

    private Thread thread(final Runnable work) {
        final Thread made = threads.newThread(work);
        thread = made;
        return made;
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
        final Thread busy = thread;
        if (busy != null) {
            busy.interrupt();
        }
        if (!ends(last)) {
            throw FabricException.of("close " + name)
                .detail("work is still under way after %d ms, %d pieces wait behind it: %s",
                    TimeUnit.NANOSECONDS.toMillis(closeNanos), last.getQueue().size(),
                    busy == null ? "no thread" : Arrays.toString(busy.getStackTrace()))
                .errno(FiErrno.FI_ETIMEDOUT).hint("what it uses is kept; close it again when that has ended").build();
        }
    }

    private boolean ends(final ThreadPoolExecutor last) {
        final long end = System.nanoTime() + closeNanos;
        boolean interrupted = false;
        boolean done = false;
        long left = closeNanos;
        while (!done && left > 0) {
            try {
                done = last.awaitTermination(left, TimeUnit.NANOSECONDS);
            } catch (final InterruptedException e) {
                interrupted = true;
            }
            left = end - System.nanoTime();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return done;
    }
}
