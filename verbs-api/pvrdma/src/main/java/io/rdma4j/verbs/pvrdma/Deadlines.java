/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import java.time.Duration;

/** Waiting times. */
final class Deadlines {
    /** Added to the present it does not overflow. */
    private static final long FOR_EVER = Long.MAX_VALUE / 2;

    private Deadlines() {
    }

    /** Nanoseconds of a timeout; a negative one does not wait, one beyond the clock waits as long as there is. */
    static long nanos(final Duration timeout) {
        if (timeout.isNegative()) {
            return 0;
        }
        return timeout.compareTo(Duration.ofNanos(FOR_EVER)) > 0 ? FOR_EVER : timeout.toNanos();
    }
}
