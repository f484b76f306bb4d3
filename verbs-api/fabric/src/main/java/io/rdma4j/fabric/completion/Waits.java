/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.base.Deadline;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.WaitObject;
import io.rdma4j.verbs.CompletionWaiter;

import java.util.concurrent.TimeUnit;

/** How the thread that reads a queue spends the time until there is something. */
final class Waits {
    /** Nobody sleeps longer without a look: for events that get lost. */
    private static final long LONGEST_SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** The clock is slow beside a read. */
    private static final int SPINS_PER_LOOK = 32;

    private final FabricCompletionQueue queue;
    private final WaitObject waitObject;
    private final Sleeper sleeper;

    Waits(final FabricCompletionQueue queue, final WaitObject waitObject, final Sleeper sleeper) {
        this.queue = queue;
        this.waitObject = waitObject;
        this.sleeper = sleeper;
    }

    /** Waits a little, after many turns until something happens; false if the wait is to end. */
    boolean goesOn(final int turn, final long deadline) {
        if (sleeper.takeSignal()) {
            return false;
        }
        if (waitObject == WaitObject.YIELD) {
            Thread.yield();
        } else if (turn < CompletionWaiter.DEFAULT_SPINS) {
            Thread.onSpinWait();
            if (turn % SPINS_PER_LOOK != 0) {
                return true;
            }
        } else {
            sleep(deadline);
        }
        return !Deadline.isOver(deadline) && !Thread.currentThread().isInterrupted() && !sleeper.takeSignal();
    }

    private void sleep(final long deadline) {
        sleeper.arm();
        try {
            if (queue.arm() == 0 && !queue.isClosed() && !sleeper.isSignalled()) {
                final long left = Math.min(deadline - System.nanoTime(), LONGEST_SLEEP_NANOS);
                sleeper.sleep(Math.min(left, queue.idleNanos()));
            }
        } finally {
            sleeper.disarm();
        }
    }

    /** 0 if the descriptor becomes readable as soon as there is something to read. */
    int prepareFd() {
        sleeper.clearFd();
        sleeper.arm();
        if (queue.arm() != 0 || sleeper.takeSignal()) {
            sleeper.disarm();
            return -FiErrno.FI_EAGAIN;
        }
        final long idle = queue.idleNanos();
        if (idle != Long.MAX_VALUE) {
            sleeper.dueIn(idle);
        }
        return 0;
    }
}
