/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

/** What reading the clock costs. */
final class Clock {
    private static final int READINGS = 20_000;
    private static final int TRIES = 20;

    private Clock() {
    }

    /** The cost of a reading in nanoseconds: the best of some averages, as nothing makes it faster than it is. */
    static double cost() {
        double best = Double.MAX_VALUE;
        for (int i = 0; i < TRIES; i++) {
            best = Math.min(best, average());
        }
        return best;
    }

    private static double average() {
        final long began = System.nanoTime();
        long last = began;
        for (int i = 0; i < READINGS; i++) {
            last = System.nanoTime();
        }
        return (double) (last - began) / READINGS;
    }
}
