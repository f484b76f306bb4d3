/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import java.time.Duration;

/** Ends of waits, by {@link System#nanoTime()}. */
final class WaitTime {
    private WaitTime() {
    }

    /** What is longer than 292 years lasts as long as that. */
    static long nanos(final Duration timeout) {
        try {
            return Math.max(0, timeout.toNanos());
        } catch (final ArithmeticException e) {
            return timeout.isNegative() ? 0 : Long.MAX_VALUE;
        }
    }
}
