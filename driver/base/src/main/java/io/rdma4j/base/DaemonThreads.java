/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads with a name that keep no process alive. Thread-safe. */
public final class DaemonThreads {
    private DaemonThreads() {
    }

    /**
     * A thread that is not started yet.
     *
     * @param name what dumps show.
     * @param work what it does.
     * @return the thread.
     */
    public static Thread of(final String name, final Runnable work) {
        final Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * A thread that runs.
     *
     * @param name what dumps show.
     * @param work what it does.
     * @return the thread.
     */
    public static Thread start(final String name, final Runnable work) {
        final Thread thread = of(name, work);
        thread.start();
        return thread;
    }

    /**
     * Threads that come with work and go without.
     *
     * @param name        of each.
     * @param threads     how many at most.
     * @param idleSeconds when one without work goes.
     * @return what takes any number of tasks.
     */
    public static ThreadPoolExecutor pool(final String name, final int threads, final int idleSeconds) {
        final ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, threads, idleSeconds, TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), task -> of(name, task));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * A thread for what is to be done later, which comes with work and goes without.
     *
     * @param name        of the thread.
     * @param idleSeconds when it goes.
     * @return a pool that forgets what is cancelled.
     */
    public static ScheduledThreadPoolExecutor clock(final String name, final int idleSeconds) {
        final ScheduledThreadPoolExecutor pool = new ScheduledThreadPoolExecutor(1, task -> of(name, task));
        pool.setKeepAliveTime(idleSeconds, TimeUnit.SECONDS);
        pool.allowCoreThreadTimeOut(true);
        pool.setRemoveOnCancelPolicy(true);
        return pool;
    }
}
