/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import java.time.Duration;

/** Ends of waits, by {@link System#nanoTime()}. */
public final class Deadline {
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Deadline() {
    }

    /**
     * When a wait that begins now ends.
     *
     * @param timeout how long it lasts at most; negative counts as 0.
     * @return by {@link System#nanoTime()}.
     */
    public static long after(final Duration timeout) {
        final Duration bounded = timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
        return System.nanoTime() + (bounded.isNegative() ? 0 : bounded.toNanos());
    }

    /**
     * Whether the time has come.
     *
     * @param deadline of {@link #after}.
     * @return true if so.
     */
    public static boolean isOver(final long deadline) {
        return System.nanoTime() - deadline >= 0;
    }
}
