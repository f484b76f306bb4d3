/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import java.time.Duration;

/**
 * How long to run: until the first of two limits.
 *
 * @param iterations a count.
 * @param nanos      a time.
 */
public record Span(long iterations, long nanos) {
    /**
     * A number of iterations, however long they take.
     *
     * @param iterations a count.
     * @return a span.
     */
    public static Span of(final long iterations) {
        return new Span(iterations, Long.MAX_VALUE);
    }

    /**
     * A time, however many iterations fit.
     *
     * @param duration how long; at least one iteration is made.
     * @return a span.
     */
    public static Span of(final Duration duration) {
        return new Span(Long.MAX_VALUE, duration.toNanos());
    }

    /**
     * Whether the number of iterations is known beforehand.
     *
     * @return true if so.
     */
    public boolean isCounted() {
        return iterations != Long.MAX_VALUE;
    }
}
