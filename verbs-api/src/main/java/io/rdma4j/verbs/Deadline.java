/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A point in time until which to wait. */
final class Deadline {
    /** Added to the present it does not overflow. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 4);

    private final long end;

    private Deadline(final long end) {
        this.end = end;
    }

    static Deadline in(final Duration time) {
        return new Deadline(System.nanoTime() + (time.compareTo(LONGEST) > 0 ? LONGEST : time).toNanos());
    }

    Deadline earlier(final Deadline other) {
        return end - other.end <= 0 ? this : other;
    }

    boolean isPassed() {
        return System.nanoTime() - end >= 0;
    }

    /** What is left, at least 1: 0 means for ever to those who are given it. */
    long millis() {
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime() + 999_999));
    }
}
