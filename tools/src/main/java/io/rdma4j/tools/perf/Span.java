/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import java.time.Duration;

/**
 * How long to run: until the first of two limits.
 *
 * @param iterations a count.
 * @param nanos      a time.
 */
record Span(long iterations, long nanos) {
    static Span of(final long iterations) {
        return new Span(iterations, Long.MAX_VALUE);
    }

    static Span of(final Duration duration) {
        return new Span(Long.MAX_VALUE, duration.toNanos());
    }

    boolean isCounted() {
        return iterations != Long.MAX_VALUE;
    }
}
