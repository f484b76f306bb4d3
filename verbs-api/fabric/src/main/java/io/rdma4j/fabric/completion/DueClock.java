/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.base.DaemonThreads;
import io.rdma4j.verbs.RdmaContext;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Wakes up who watches a descriptor when its time comes. A thread of its own, from the first time that is set: the one
 * that listens to the device cannot be told of a time that is nearer than what it waits for.
 */
final class DueClock {
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final Sleeper[] NONE = new Sleeper[0];

    private final RdmaContext context;
    /** Those that may have a time. Replaced when it changes. */
    private volatile Sleeper[] sleepers = NONE;
    private volatile Thread thread;
    private volatile boolean ended;

    DueClock(final RdmaContext context) {
        this.context = context;
    }

    synchronized void add(final Sleeper sleeper) {
        final Sleeper[] more = Arrays.copyOf(sleepers, sleepers.length + 1);
        more[sleepers.length] = sleeper;
        sleepers = more;
    }

    synchronized void remove(final Sleeper sleeper) {
        sleepers = Arrays.stream(sleepers).filter(one -> one != sleeper).toArray(Sleeper[]::new);
    }

    /** A time is set: stored before, so that the thread sees it now or when it does not park next time. */
    void lookAgain() {
        final Thread clock = thread;
        if (clock != null && clock.isAlive()) {
            LockSupport.unpark(clock);
        } else {
            start();
        }
    }

    private synchronized void start() {
        if (!ended && (thread == null || !thread.isAlive())) {
            thread = DaemonThreads.start("rdma4j-due-" + context.address(), this::run);
        }
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!ended && !context.isClosed()) {
            LockSupport.parkNanos(this, Math.min(LONGEST_NANOS, wakeDue()));
        }
    }

    private long wakeDue() {
        long least = Long.MAX_VALUE;
        final long now = System.nanoTime();
        for (final Sleeper sleeper : sleepers) {
            least = Math.min(least, sleeper.leftOrWake(now));
        }
        return least;
    }

    void end() {
        ended = true;
        LockSupport.unpark(thread);
    }
}
