/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/**
 * Finds the fastest stretch: of all that begin and end with a completion and have at least as many messages as can be
 * under way, so that all of a stretch were posted within it. perftest looks at every pair of a post and a completion,
 * which takes a clock reading for each message. Allocates nothing in {@link #mark}.
 */
final class Peak {
    private final long window;
    private final int mask;
    private final long[] counts;
    private final long[] times;
    private int head;
    private int tail;
    private double best;

    Peak(final long window) {
        this.window = window;
        final int capacity = Integer.highestOneBit((int) Math.min(window, 1 << 20) + 1) << 1;
        mask = capacity - 1;
        counts = new long[capacity];
        times = new long[capacity];
    }

    void begin(final long now) {
        head = 0;
        tail = 0;
        best = 0;
        put(0, now);
    }

    private void put(final long count, final long now) {
        counts[head & mask] = count;
        times[head & mask] = now;
        head++;
    }

    /** So many are done by now. */
    void mark(final long count, final long now) {
        if (head - tail > mask) {
            tail++;
        }
        put(count, now);
        while (count - counts[tail + 1 & mask] >= window) {
            tail++;
        }
        final long messages = count - counts[tail & mask];
        final long nanos = now - times[tail & mask];
        if (messages >= window && nanos > 0) {
            best = Math.max(best, messages / (double) nanos);
        }
    }

    /** Messages in a nanosecond; the average if there were fewer than can be under way. */
    double best(final double average) {
        return Math.max(best, average);
    }
}
