/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

/** How long something may take. The first look at it begins its time: what began it may not have known the time. */
final class Term {
    /** Who was not called for long looks once more before giving up. */
    private static final long GRACE_NANOS = 50_000_000;

    private long deadline;
    private boolean isTimed;
    private boolean hadGrace;

    void time(final long now, final long timeout) {
        if (!isTimed) {
            isTimed = true;
            deadline = now + timeout;
        }
    }

    /** It begins anew. */
    void renew() {
        isTimed = false;
        hadGrace = false;
    }

    boolean isOver(final long now) {
        return now - deadline >= 0;
    }

    /** It is over, and was once more after that, when what came meanwhile had been taken. */
    boolean isSpent(final long now) {
        if (!isOver(now)) {
            return false;
        }
        final boolean isSecond = hadGrace;
        if (!isSecond) {
            hadGrace = true;
            deadline = now + GRACE_NANOS;
        }
        return isSecond;
    }

    long deadline() {
        return deadline;
    }
}
