/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.fabric.MemoryMonitor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A monitor, maybe an application's: what it throws makes it one that does not watch. Counted, and logged once. */
final class Watcher implements EntryCheck {
    private static final System.Logger LOG = System.getLogger(Watcher.class.getName());
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    private final MemoryMonitor monitor;
    private final MemoryMonitor.Listener listener;
    private final Counters counters;
    private volatile boolean working;
    private volatile boolean logged;

    Watcher(final MemoryMonitor monitor, final MemoryMonitor.Listener listener, final Counters counters) {
        this.monitor = monitor;
        this.listener = listener;
        this.counters = counters;
    }

    void start() {
        try {
            monitor.start(listener);
            working = true;
        } catch (final RuntimeException e) {
            failed("start", e);
        }
    }

    void stop() {
        try {
            if (working) {
                working = false;
                monitor.stop(listener);
            }
        } catch (final RuntimeException e) {
            failed("stop", e);
        }
    }

    boolean subscribe(final Range range) {
        try {
            return working && monitor.subscribe(range.start(), range.length());
        } catch (final RuntimeException e) {
            failed("subscribe", e);
            return false;
        }
    }

    void unsubscribe(final Range range) {
        try {
            monitor.unsubscribe(range.start(), range.length());
        } catch (final RuntimeException e) {
            failed("unsubscribe", e);
        }
    }

    /** Meets the monitor's own write when it has told everybody. */
    @Override
    public boolean isQuiet() {
        try {
            return monitor.quiet();
        } catch (final RuntimeException e) {
            failed("quiet", e);
            return false;
        }
    }

    /** Waits until everything was told; false if that takes too long. */
    boolean awaitQuiet() {
        final long failures = counters.monitorFailures.sum();
        final long deadline = System.nanoTime() + QUIET_NANOS;
        while (!isQuiet()) {
            if (System.nanoTime() - deadline > 0 || counters.monitorFailures.sum() != failures) {
                return false;
            }
            LockSupport.parkNanos(this, LOOK_AGAIN_NANOS);
        }
        return true;
    }

    private void failed(final String what, final RuntimeException e) {
        counters.monitorFailures.increment();
        if (!logged) {
            logged = true;
            LOG.log(System.Logger.Level.WARNING,
                "memory monitor " + monitor.getClass().getName() + " threw in " + what
                    + "(); what it does not watch is kept only on demand, or registered anew for each use. Further"
                    + " failures are only counted.",
                e);
        }
    }

    @Override
    public String toString() {
        return monitor.toString();
    }
}
