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

    private final Endpoint end;
    private final Histogram roundTrips = new Histogram(1, LONGEST, SIGNIFICANT_DIGITS);
    private final AtomicLong progress;
    private long iteration;
    private long first;
    private long last;
    private long beganAt;
    private long stampedAt;
    private long longest;
    private boolean done = true;

    Initiator(final Endpoint end, final AtomicLong progress) {
        this.end = end;
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
        if (!done) {
            end.send(iteration);
        }
    }

    /**
     * Does what can be done now.
     *
     * @return 0 if there was nothing.
     */
    int step() {
        final int work = end.poll();
        if (end.isReady() && !done) {
            end.take(iteration);
            final long now = System.nanoTime();
            roundTrips.recordValue(Math.min(LONGEST, now - stampedAt));
            stampedAt = now;
            iteration++;
            progress.lazySet(iterations());
            done = iteration == last || now - beganAt >= longest;
            if (!done) {
                end.send(iteration);
            }
        }
        return work;
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

    Endpoint end() {
        return end;
    }
}
