/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What the calling thread leaves for the garbage collector. */
public final class Allocations {
    private static final int ATTEMPTS = 5;

    private Allocations() {
    }

    /**
     * Measures a step that is done again and again: the best of a few attempts, each behind as many steps that warm up,
     * as the JVM's own calls allocate a little now and then before they are compiled.
     *
     * @param steps of each attempt, and before it.
     * @param step  what is measured.
     * @return bytes for each step.
     */
    public static double perStep(final int steps, final Runnable step) {
        final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        double least = Double.MAX_VALUE;
        for (int attempt = 0; attempt < ATTEMPTS && least > 0; attempt++) {
            run(steps, step);
            final long before = threads.getCurrentThreadAllocatedBytes();
            run(steps, step);
            least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / (double) steps);
        }
        return least;
    }

    private static void run(final int steps, final Runnable step) {
        for (int i = 0; i < steps; i++) {
            step.run();
        }
    }
}
