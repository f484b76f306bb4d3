/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What the calling thread leaves for the garbage collector. */
public final class Allocations {
    /** What C2 has not compiled yet allocates what it will not; behind other compilations that takes seconds. */
    private static final long LONGEST = Patience.nanos() / 2;

    private Allocations() {
    }

    /**
     * Measures a step that is done again and again: attempts, each behind as many steps that warm up, until one
     * allocates nothing or half of {@link Patience} is over. What allocates always is never taken for less.
     *
     * @param steps of each attempt, and before it.
     * @param step  what is measured.
     * @return bytes for each step, of the best attempt.
     */
    public static double perStep(final int steps, final Runnable step) {
        return perStep(steps, 0, step);
    }

    /**
     * Measures a step likewise, where now and then something is allocated.
     *
     * @param steps of each attempt, and before it.
     * @param most  bytes for each step that are as good as nothing: no other attempt after that.
     * @param step  what is measured.
     * @return bytes for each step, of the best attempt.
     */
    public static double perStep(final int steps, final double most, final Runnable step) {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final long begun = System.nanoTime();
        double least = Double.MAX_VALUE;
        do {
            run(steps, step);
            final long before = threads.getCurrentThreadAllocatedBytes();
            run(steps, step);
            least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / (double) steps);
        } while (least > most && System.nanoTime() - begun < LONGEST);
        return least;
    }

    private static void run(final int steps, final Runnable step) {
        for (int i = 0; i < steps; i++) {
            step.run();
        }
    }
}
