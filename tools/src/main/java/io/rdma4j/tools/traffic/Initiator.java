/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * The end that begins each round trip and measures it. A round trip lasts from its beginning to the beginning of the
 * next one, so that all of them together are the whole time. For one thread.
 */
final class Initiator implements Player {
    private final IntSupplier poll;
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
     * @param poll      looks for completions, and says how many there were.
     * @param turn      what this end does in a round trip.
     * @param transfers transfers in a round trip.
     * @param signEvery nanoseconds after which the peer is to hear that this end is still there.
     */
    Initiator(final IntSupplier poll, final Turn turn, final int transfers, final long signEvery) {
        this.poll = poll;
        this.turn = turn;
        this.signEvery = signEvery;
        recorder = new Recorder(0, transfers);
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

    @Override
    public int step() {
        final int work = poll.getAsInt();
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

    @Override
    public boolean isOver() {
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

    LatencyRow row(final int bytes) {
        return recorder.row(bytes);
    }
}
