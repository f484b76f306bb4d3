/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Two threads that work at the same time; both are given up if one fails or takes too long. */
public final class Duet {
    private static final Duration DEADLINE = Duration.ofMinutes(3);
    /** Until threads that were given up have left what the caller closes next. */
    private static final Duration FAREWELL = Duration.ofSeconds(5);
    private static final int PARTS = 2;

    private final Patience patience;
    private final AtomicInteger missing = new AtomicInteger(PARTS);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final CountDownLatch through = new CountDownLatch(PARTS);
    private volatile long began;

    private Duet(final Patience patience) {
        this.patience = patience;
    }

    /** What one of the two does. */
    public static final class Part {
        private final Runnable before;
        private final Runnable work;
        private long ended;

        /**
         * Something to be timed, after something that is not.
         *
         * @param before done first, on the same thread
         * @param work   what is timed
         */
        public Part(final Runnable before, final Runnable work) {
            this.before = before;
            this.work = work;
        }
    }

    /**
     * Lets two threads work.
     *
     * @param patience asked by both while they wait
     * @param one      for one thread
     * @param other    for the other one
     * @return nanoseconds from when both were there until both were through
     * @throws IOException          if one fails, with the reason; or takes too long
     * @throws InterruptedException if the caller is to stop
     */
    public static long play(final Patience patience, final Runnable one, final Runnable other)
        throws IOException, InterruptedException {
        return play(patience, part(one), part(other), DEADLINE);
    }

    private static Part part(final Runnable work) {
        return new Part(() -> {
            // There is nothing to prepare.
        }, work);
    }

    /**
     * The same with something before that is not timed.
     *
     * @param patience asked by both while they wait
     * @param one      for one thread
     * @param other    for the other one
     * @param deadline for all of it
     * @return nanoseconds from when both had prepared themselves until both were through
     * @throws IOException          if one fails, with the reason; or takes too long
     * @throws InterruptedException if the caller is to stop
     */
    public static long play(final Patience patience, final Part one, final Part other, final Duration deadline)
        throws IOException, InterruptedException {
        final Duet duet = new Duet(patience);
        duet.start("client", one);
        duet.start("server", other);
        duet.await(deadline);
        return Math.max(one.ended, other.ended) - duet.began;
    }

    private void start(final String name, final Part part) {
        final Thread thread = new Thread(() -> {
            try {
                part.before.run();
                meet();
                part.work.run();
                part.ended = System.nanoTime();
            } catch (final RuntimeException | Error e) {
                failure.compareAndSet(null, e); // The first one: that of the other thread is its consequence.
                patience.exhaust();
            }
            through.countDown();
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Both write the time: the later one is that of who came last, but for the moment in between. */
    private void meet() {
        began = System.nanoTime();
        missing.decrementAndGet();
        while (missing.get() > 0) {
            Thread.onSpinWait();
            patience.check();
        }
    }

    private void await(final Duration deadline) throws IOException, InterruptedException {
        boolean done = false;
        try {
            done = through.await(deadline.toNanos(), TimeUnit.NANOSECONDS);
        } finally {
            if (!done) {
                patience.exhaust();
                through.await(FAREWELL.toNanos(), TimeUnit.NANOSECONDS);
            }
        }
        if (!done || failure.get() != null) {
            throw new IOException(done ? "measuring failed: " + failure.get().getMessage()
                : "measuring took longer than " + deadline.toSeconds() + " s", failure.get());
        }
    }
}
