/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

/** When something is sent again, each time later, and when it is given up. */
final class Retry {
    private static final long FIRST_NANOS = 25_000_000;
    private static final long LONGEST_NANOS = 800_000_000;
    /** Where there was no room. */
    private static final long SOON_NANOS = 1_000_000;

    private final long deadline;
    private long interval = FIRST_NANOS;
    private long nextAt;
    private boolean wasSent;

    Retry(final long now, final long timeout) {
        deadline = now + timeout;
        nextAt = now;
    }

    boolean isOver(final long now) {
        return now - deadline >= 0;
    }

    boolean isDue(final long now) {
        return now - nextAt >= 0;
    }

    /** Whether it went out at least once. */
    boolean wasSent() {
        return wasSent;
    }

    void sent(final long now) {
        wasSent = true;
        nextAt = now + interval;
        interval = Math.min(LONGEST_NANOS, 2 * interval);
    }

    void noRoom(final long now) {
        nextAt = now + SOON_NANOS;
    }

    long left(final long now) {
        return deadline - now;
    }

    /** When there is something to do. */
    long dueAt() {
        return nextAt - deadline < 0 ? nextAt : deadline;
    }
}
