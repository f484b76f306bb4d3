/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;


import java.time.Duration;

/** Notices when a count has not changed for too long. For one thread. */
final class Watch {
    private final long patience;
    private long seen;
    private long seenAt;

    Watch(final Duration patience) {
        this.patience = patience.toNanos();
    }

    /** Begins anew. */
    void begin(final long count) {
        seen = count;
        seenAt = System.nanoTime();
    }

    /** Whether the count is the same as it was, for too long. */
    boolean isStuckAt(final long count) {
        if (count != seen) {
            begin(count);
        }
        return System.nanoTime() - seenAt > patience;
    }
}
