/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.base.DaemonThreads;
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
        executor = DaemonThreads.clock("rdma4j-wait-clock", IDLE_SECONDS);
    }

    static WaitClock shared() {
        return SHARED;
    }

    /** What is done must be short. */
    Future<?> after(final long nanos, final Runnable action) {
        return executor.schedule(action, nanos, TimeUnit.NANOSECONDS);
    }
}
