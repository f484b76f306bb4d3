/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.base.Deadline;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.time.Duration;
import java.util.SplittableRandom;

/** A link that is being made: dialed from here, or half-open because the peer dialed. */
final class Attempt {
    private static final long FIRST_NANOS = 25_000_000;
    private static final long LONGEST_NANOS = 800_000_000;
    /** Who is there, but had no room, has some again as soon as others' links are established. */
    private static final long LONGEST_BUSY_NANOS = 100_000_000;

    final Link end;
    final long own;
    /** The peer's life and connection; 0 while dialing. */
    final long life;
    final long link;
    final Term term;
    private final SplittableRandom random;
    private long interval = FIRST_NANOS;
    private long nextAt;
    private boolean isTimed;
    private boolean isSent;
    private boolean isRefused;

    private Attempt(
        final Link end, final Term term, final long own, final long life, final long link, final long seed) {
        this.end = end;
        this.term = term;
        this.own = own;
        this.life = life;
        this.link = link;
        this.random = new SplittableRandom(seed);
    }

    /**
     * Dialed from here.
     *
     * @param term how long that may take.
     * @param self this endpoint's life, another one than others': those that begin together do not repeat together.
     */
    static Attempt dial(final Link end, final Term term, final long own, final long self) {
        return new Attempt(end, term, own, 0, 0, self + own);
    }

    /** The peer's. */
    static Attempt half(final Link end, final long own, final long life, final long link) {
        return new Attempt(end, new Term(), own, life, link, own);
    }

    /** A timeout as applications give it. */
    static long nanos(final Duration timeout) {
        if (timeout == null || timeout.isNegative() || timeout.isZero()) {
            throw FabricException.of("open endpoint").detail("connect timeout is %s, must be above 0", timeout)
                .errno(FiErrno.FI_EINVAL).build();
        }
        return Deadline.nanos(timeout);
    }

    boolean isOf(final ConnectIds ids) {
        return life == ids.life() && link == ids.link();
    }

    /** It is looked at. */
    void time(final long now, final long timeout) {
        term.time(now, timeout);
        if (!isTimed) {
            isTimed = true;
            nextAt = isSent ? now + spread() : now;
        }
    }

    void sent(final boolean done) {
        isSent = done;
    }

    boolean isDue(final long now) {
        return now - nextAt >= 0;
    }

    /** The peer has no room now: to be sent again, but not at once, and not much later. */
    void refused() {
        isRefused = true;
    }

    /** After each refusal anew, so that who waits for long has the same chance as who has just come. */
    void yieldIfRefused(final long now) {
        if (isRefused) {
            isRefused = false;
            interval = Math.min(LONGEST_BUSY_NANOS, interval);
            nextAt = now + spread();
        }
    }

    /** Sent again: the next time later. */
    void again(final long now) {
        isSent = true;
        nextAt = now + spread();
        interval = Math.min(LONGEST_NANOS, 2 * interval);
    }

    /** From a half of the interval to one and a half: many that lost a datagram together come back apart. */
    private long spread() {
        return interval / 2 + random.nextLong(interval);
    }

    /** When something has to be done about one that is repeated. */
    long dueAt() {
        return nextAt - term.deadline() < 0 ? nextAt : term.deadline();
    }
}
