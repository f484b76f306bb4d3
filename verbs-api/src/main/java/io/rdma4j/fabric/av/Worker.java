/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * A daemon thread that does one thing after the other: made when there is something to do, gone when there was nothing
 * for a while or it is closed. Thread-safe.
 */
final class Worker {
    private static final long IDLE_SECONDS = 1;
    private static final long CLOSE_SECONDS = 60;

    private final String name;
    private ThreadPoolExecutor executor;
    private boolean closed;
    private volatile Thread thread;

    Worker(final String name) {
        this.name = name;
    }

    /** False if it is closed: the work is not done. */
    synchronized boolean run(final Runnable work) {
        if (closed) {
            return false;
        }
        if (executor == null) {
            executor = new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
                this::thread);
            executor.allowCoreThreadTimeOut(true);
        }
        executor.execute(work);
        return true;
    }

    private Thread thread(final Runnable work) {
        final Thread made = new Thread(work, name);
        made.setDaemon(true);
        thread = made;
        return made;
    }

    /**
     * Takes no more, interrupts what is under way, and waits until all that was taken is done: it should know that
     * there is no time left.
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
        await(last);
    }

    private static void await(final ThreadPoolExecutor last) {
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        boolean interrupted = false;
        boolean done = false;
        while (!done && System.nanoTime() < end) {
            try {
                done = last.awaitTermination(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
