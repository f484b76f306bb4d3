/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.time.Duration;

/** A link that is being made: dialed from here, or half-open because the peer dialed. */
final class Attempt {
    private static final long FIRST_NANOS = 25_000_000;
    private static final long LONGEST_NANOS = 800_000_000;
    /** Who was not called for long looks once more before giving up. */
    private static final long GRACE_NANOS = 50_000_000;

    final Link end;
    final long own;
    /** The peer's life and connection; 0 while dialing. */
    final long life;
    final long link;
    private long interval = FIRST_NANOS;
    private long nextAt;
    private long deadline;
    private boolean isTimed;
    private boolean isSent;
    private boolean isHurried;
    private boolean hadGrace;

    Attempt(final Link end, final long own, final long life, final long link) {
        this.end = end;
        this.own = own;
        this.life = life;
        this.link = link;
    }

    /** A timeout as applications give it; a day is as good as for ever. */
    static long nanos(final Duration timeout) {
        if (timeout == null || timeout.isNegative() || timeout.isZero()) {
            throw FabricException.of("open endpoint").detail("connect timeout is %s, must be above 0", timeout)
                .errno(FiErrno.FI_EINVAL).build();
        }
        return timeout.compareTo(Duration.ofDays(1)) > 0 ? Duration.ofDays(1).toNanos() : timeout.toNanos();
    }

    boolean isOf(final ConnectIds ids) {
        return life == ids.life() && link == ids.link();
    }

    /** The first look at it begins its time: what began it may not have known the time. */
    void time(final long now, final long timeout) {
        if (!isTimed) {
            isTimed = true;
            deadline = now + timeout;
            nextAt = isSent ? now + interval : now;
        }
    }

    /** Heard of again. */
    void renew() {
        isTimed = false;
        hadGrace = false;
    }

    void sent(final boolean done) {
        isSent = done;
    }

    /** To be sent once more at the next look. */
    void hurry() {
        isHurried = true;
    }

    boolean isDue(final long now) {
        return isHurried || now - nextAt >= 0;
    }

    /** Sent again: the next time later, and not all at once. */
    void again(final long now) {
        isSent = true;
        isHurried = false;
        nextAt = now + interval + own * 7 % 16 * (interval / 32);
        interval = Math.min(LONGEST_NANOS, 2 * interval);
    }

    boolean isOver(final long now) {
        return now - deadline >= 0;
    }

    /** True the first time it is over. */
    boolean takeGrace(final long now) {
        if (hadGrace) {
            return false;
        }
        hadGrace = true;
        deadline = now + GRACE_NANOS;
        return true;
    }

    /** When something has to be done about it. */
    long dueAt(final boolean repeats) {
        return repeats && nextAt - deadline < 0 ? nextAt : deadline;
    }
}
