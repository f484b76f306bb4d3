/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.ReturnCode;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The completions of a CQ, awaited with a deadline. For one thread at a time. */
final class Completions {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int SPINS = 200;
    private static final int BATCH = 64;
    private static final long PARK_NANOS = 50_000;

    private final ConformanceEnv env;
    private final CompletionQueue cq;
    private final Deque<Wc> polled = new ArrayDeque<>();

    Completions(final ConformanceEnv env, final CompletionQueue cq) {
        this.env = env;
        this.cq = cq;
    }

    CompletionQueue cq() {
        return cq;
    }

    /** Takes the next completion. */
    Wc next() {
        return next(1).get(0);
    }

    /** Takes the next completions, in their order. */
    List<Wc> next(final int count) {
        await(count);
        final List<Wc> taken = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            taken.add(polled.poll());
        }
        return taken;
    }

    /** Polls until there are so many for {@link #next}. */
    void await(final int count) {
        final long deadline = System.nanoTime() + env.patience(PATIENCE).toNanos();
        for (int spins = 0; polled.size() < count; spins++) {
            if (poll() > 0) {
                spins = 0;
            } else if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(String.format("only %d of %d completions came within %d ms: %s",
                    polled.size(), count, env.patience(PATIENCE).toMillis(), polled));
            } else {
                idle(spins);
            }
        }
    }

    /** Polls once; what came waits for {@link #next}. */
    int poll() {
        final int count = cq.poll(completion -> polled.add(Wc.of(completion)), BATCH);
        Check.that(count >= 0, "poll returned %s: %s", ReturnCode.nameOf(count), cq.context().failure());
        return count;
    }

    /** Polls once; true if there is something for {@link #next}, new or from before. */
    boolean ready() {
        poll();
        return !polled.isEmpty();
    }

    /** What has been polled, or can be now, without waiting. */
    List<Wc> available() {
        while (poll() > 0) {
            // Until there is no more.
        }
        final List<Wc> taken = new ArrayList<>(polled);
        polled.clear();
        return taken;
    }

    /** Nothing comes for a while. */
    void none(final Duration time, final String why) {
        final long end = System.nanoTime() + time.toNanos();
        do {
            poll();
            Check.that(polled.isEmpty(), "%s, but there came %s", why, polled);
            idle(SPINS);
        } while (System.nanoTime() - end < 0);
    }

    private static void idle(final int spins) {
        if (spins < SPINS) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(PARK_NANOS);
        }
    }
}
