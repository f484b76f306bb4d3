/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A point in time until which to wait. */
final class Deadline {
    /** Added to the present it does not overflow. */
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE / 4);

    private final LongSupplier clock;
    private final long end;

    private Deadline(final Duration time, final LongSupplier clock) {
        this.clock = clock;
        this.end = clock.getAsLong() + (time.compareTo(LONGEST) > 0 ? LONGEST : time).toNanos();
    }

    /** Of the whole call. */
    static Deadline ofCall(final ConnectOptions options) {
        return new Deadline(options.timeout(), options.clock());
    }

    /** Of the next message. */
    static Deadline ofMessage(final ConnectOptions options) {
        return new Deadline(options.patience(), options.clock());
    }

    Deadline earlier(final Deadline other) {
        return end - other.end <= 0 ? this : other;
    }

    boolean isPassed() {
        return clock.getAsLong() - end >= 0;
    }

    /** What is left, at least 1: 0 means for ever to those who are given it. */
    long millis() {
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - clock.getAsLong() + 999_999));
    }
}
