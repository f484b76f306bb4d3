/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import java.time.Duration;

/** Ends of waits, by {@link System#nanoTime()}. */
final class Deadline {
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Deadline() {
    }

    static long after(final Duration timeout) {
        final Duration bounded = timeout.compareTo(LONGEST) > 0 ? LONGEST : timeout;
        return System.nanoTime() + (bounded.isNegative() ? 0 : bounded.toNanos());
    }

    static boolean isOver(final long deadline) {
        return System.nanoTime() - deadline >= 0;
    }
}
