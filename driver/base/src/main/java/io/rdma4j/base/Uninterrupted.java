/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import java.util.concurrent.TimeUnit;

/**
 * Waits of those who close something: what they wait for ends soon, and what it uses goes with it. So an interrupt does
 * not cut them short; the thread is interrupted again when the wait is over.
 */
public final class Uninterrupted {
    private Uninterrupted() {
    }

    /** What waits once, such as {@link java.util.concurrent.CountDownLatch#await(long, TimeUnit)}. */
    public interface Wait {
        /**
         * Waits.
         *
         * @param nanos how long at most; 0 or more.
         * @return whether what was waited for is there.
         * @throws InterruptedException if the thread is interrupted; the rest of the time is waited for then.
         */
        boolean await(long nanos) throws InterruptedException;
    }

    /**
     * Waits until that returns, or the time is over.
     *
     * @param nanos how long at most.
     * @param wait  how to.
     * @return what it returned.
     */
    public static boolean await(final long nanos, final Wait wait) {
        final long deadline = System.nanoTime() + nanos;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return wait.await(Math.max(0, deadline - System.nanoTime()));
                } catch (final InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits for the end of a thread.
     *
     * @param thread which; not this one, which would wait in vain.
     * @param nanos  how long at most.
     * @return whether it has ended, or was never started.
     */
    public static boolean join(final Thread thread, final long nanos) {
        return await(nanos, left -> {
            TimeUnit.NANOSECONDS.timedJoin(thread, left);
            return !thread.isAlive();
        });
    }
}
