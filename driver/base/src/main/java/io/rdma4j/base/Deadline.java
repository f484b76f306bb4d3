/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.base;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The end of a wait. Who waits often keeps the number of nanoseconds, by {@link System#nanoTime()}; who has a clock of
 * its own an object. "For ever" is 146 years: added to the present it does not overflow.
 */
public final class Deadline {
    private static final long FOR_EVER = Long.MAX_VALUE / 2;
    private static final Duration LONGEST = Duration.ofNanos(FOR_EVER);

    private final LongSupplier clock;
    private final long end;

    private Deadline(final LongSupplier clock, final long end) {
        this.clock = clock;
        this.end = end;
    }

    /**
     * How long a wait lasts.
     *
     * @param timeout negative counts as 0.
     * @return nanoseconds, 0 or more; 146 years at most.
     */
    public static long nanos(final Duration timeout) {
        if (timeout.isNegative()) {
            return 0;
        }
        return timeout.compareTo(LONGEST) >= 0 ? FOR_EVER : timeout.toNanos();
    }

    /**
     * When a wait that begins now ends.
     *
     * @param timeout how long it lasts at most; negative counts as 0.
     * @return by {@link System#nanoTime()}.
     */
    public static long after(final Duration timeout) {
        return System.nanoTime() + nanos(timeout);
    }

    /**
     * Whether the time has come.
     *
     * @param deadline by {@link System#nanoTime()}.
     * @return true if so.
     */
    public static boolean isOver(final long deadline) {
        return System.nanoTime() - deadline >= 0;
    }

    /**
     * When a wait that begins now ends.
     *
     * @param timeout how long it lasts at most; negative counts as 0.
     * @param clock   of nanoseconds.
     * @return the end.
     */
    public static Deadline after(final Duration timeout, final LongSupplier clock) {
        return new Deadline(clock, clock.getAsLong() + nanos(timeout));
    }

    /**
     * Of two by the same clock.
     *
     * @param other the other one.
     * @return what comes first.
     */
    public Deadline earlier(final Deadline other) {
        return end - other.end <= 0 ? this : other;
    }

    /**
     * Whether the time has come.
     *
     * @return true if so.
     */
    public boolean isPassed() {
        return clock.getAsLong() - end >= 0;
    }

    /**
     * What is left, for those to whom 0 means for ever.
     *
     * @return milliseconds, at least 1.
     */
    public long millis() {
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - clock.getAsLong() + 999_999));
    }
}
