/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Does things later, for who waits for a file descriptor: such a thread is in the kernel, where it cannot look by
 * itself. One daemon thread of the process, which is there only while something is to be done.
 */
final class WaitClock {
    private static final int IDLE_SECONDS = 5;
    private static final WaitClock SHARED = new WaitClock();

    private final ScheduledThreadPoolExecutor executor;

    private WaitClock() {
        executor = new ScheduledThreadPoolExecutor(1, task -> {
            final Thread thread = new Thread(task, "rdma4j-wait-clock");
            thread.setDaemon(true);
            return thread;
        });
        executor.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        executor.allowCoreThreadTimeOut(true);
        executor.setRemoveOnCancelPolicy(true);
    }

    static WaitClock shared() {
        return SHARED;
    }

    /** What is done must be short. */
    Future<?> after(final long nanos, final Runnable action) {
        return executor.schedule(action, nanos, TimeUnit.NANOSECONDS);
    }
}
