/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The end that begins each round trip and measures it. A round trip lasts from its beginning to the beginning of the
 * next one, so that all of them together are the whole time. For one thread.
 */
final class Initiator {
    private final PingPongEnd end;
    private final Turn turn;
    private final long signEvery;
    private final Recorder recorder;
    private final AtomicLong progress = new AtomicLong();
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
     * @param end       the end.
     * @param signEvery nanoseconds after which the peer is to hear that this end is still there.
     */
    Initiator(final PingPongEnd end, final long signEvery) {
        this.end = end;
        this.signEvery = signEvery;
        turn = end.turn();
        recorder = new Recorder(0, end.options().operation().transfersPerRoundTrip());
    }

    /** Begins to run; what was measured before is forgotten. */
    void begin(final Span span) {
        recorder.reset();
        first = iteration;
        last = span.isCounted() ? first + span.iterations() : Long.MAX_VALUE;
        longest = span.nanos();
        done = last == first;
        beganAt = System.nanoTime();
        stampedAt = beganAt;
        signedAt = beganAt;
        if (!done) {
            turn.move(iteration);
        }
    }

    /**
     * Does what can be done now.
     *
     * @return 0 if there was nothing.
     */
    int step() {
        final int work = end.poll();
        if (done || !turn.isReady()) {
            return work;
        }
        turn.take(iteration);
        final long now = System.nanoTime();
        recorder.record(now - stampedAt);
        stampedAt = now;
        iteration++;
        progress.lazySet(iterations());
        done = iteration == last || now - beganAt >= longest;
        if (!done) {
            turn.move(iteration);
        }
        if (now - signedAt > signEvery) {
            signedAt = now;
            turn.sayStillHere();
        }
        return work + 1;
    }

    boolean isDone() {
        return done;
    }

    long iterations() {
        return iteration - first;
    }

    /** Number of the round trip, those of the warm-up included. */
    long iteration() {
        return iteration;
    }

    /** Round trips since {@link #begin}, for any thread. */
    long progress() {
        return progress.get();
    }

    LatencyRow row() {
        return recorder.row(end.options().size());
    }
}
