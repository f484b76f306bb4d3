/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import org.HdrHistogram.Histogram;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The end that begins each round trip and measures it. A round trip lasts from its beginning to the beginning of the
 * next one, so that all of them together are the whole time. For one thread.
 */
final class Initiator {
    private static final long LONGEST = TimeUnit.HOURS.toNanos(2);
    private static final int SIGNIFICANT_DIGITS = 3;

    private final Player player;
    private final long signEvery;
    private final Histogram roundTrips = new Histogram(1, LONGEST, SIGNIFICANT_DIGITS);
    private final AtomicLong progress;
    private long iteration;
    private long first;
    private long last;
    private long beganAt;
    private long stampedAt;
    private long signedAt;
    private long longest;
    private boolean done = true;

    /**
     * Takes a part.
     *
     * @param player    the end.
     * @param signEvery nanoseconds after which the peer is to hear that this end is still there.
     * @param progress  where to count round trips, for others.
     */
    Initiator(final Player player, final long signEvery, final AtomicLong progress) {
        this.player = player;
        this.signEvery = signEvery;
        this.progress = progress;
    }

    /** Begins to run; what was measured before is forgotten. */
    void begin(final PingPongOptions.Span span) {
        roundTrips.reset();
        first = iteration;
        last = span.isCounted() ? first + span.iterations() : Long.MAX_VALUE;
        longest = span.duration().toNanos();
        done = last == first;
        beganAt = System.nanoTime();
        stampedAt = beganAt;
        signedAt = beganAt;
        if (!done) {
            player.turn().move(iteration);
        }
    }

    /**
     * Does what can be done now.
     *
     * @return 0 if there was nothing.
     */
    int step() {
        final int work = player.end().poll();
        if (done || !player.turn().isReady()) {
            return work;
        }
        player.turn().take(iteration);
        final long now = System.nanoTime();
        roundTrips.recordValue(Math.min(LONGEST, now - stampedAt));
        stampedAt = now;
        iteration++;
        progress.lazySet(iterations());
        done = iteration == last || now - beganAt >= longest;
        if (!done) {
            player.turn().move(iteration);
        }
        if (now - signedAt > signEvery) {
            signedAt = now;
            player.turn().sayStillHere();
        }
        return work + 1;
    }

    boolean isDone() {
        return done;
    }

    long iterations() {
        return iteration - first;
    }

    long iteration() {
        return iteration;
    }

    long elapsedNanos() {
        return stampedAt - beganAt;
    }

    Histogram roundTrips() {
        return roundTrips;
    }

    Player player() {
        return player;
    }
}
