/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What one thread does of a measurement. */
@FunctionalInterface
interface ScalingWork {
    /** Beyond this a measurement is given up. */
    long DEADLINE_SECONDS = 60;

    /** Turns that do not count before those of the first row: there the compiler is still at work. */
    int FIRST_WARM_UP = 10;

    /** Does it so many times. */
    void run(long times);

    /**
     * Runs both at the same time, each on a thread of its own: first some that do not count, so that what they use is
     * in the caches of the processor that they are on.
     *
     * @return nanoseconds until the later one was through
     */
    static long both(final ScalingWork one, final ScalingWork other, final long before, final long times,
        final Exchange.Patience patience) throws IOException, InterruptedException {
        final Side first = new Side(one, before, times);
        final Side second = new Side(other, before, times);
        final CountDownLatch ready = new CountDownLatch(2);
        final StartSignal signal = new StartSignal();
        for (final Side side : new Side[] {first, second}) {
            side.start(ready, signal);
        }
        if (!ready.await(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
            patience.exhaust();
            throw new IOException("a measurement was not ready in " + DEADLINE_SECONDS + " s");
        }
        final long began = System.nanoTime();
        signal.given = true;
        final long deadline = began + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        return Math.max(first.await(deadline, patience), second.await(deadline, patience)) - began;
    }

    /** Both look at it until it is given, so that neither is late. */
    final class StartSignal {
        private volatile boolean given;
    }

    /** One of the two. */
    final class Side {
        private final ScalingWork work;
        private final long before;
        private final long times;
        private final CountDownLatch through = new CountDownLatch(1);
        private long ended;
        private RuntimeException failure;

        Side(final ScalingWork work, final long before, final long times) {
            this.work = work;
            this.before = before;
            this.times = times;
        }

        void start(final CountDownLatch ready, final StartSignal signal) {
            final Thread thread = new Thread(() -> run(ready, signal), "scaling");
            thread.setDaemon(true);
            thread.start();
        }

        private void run(final CountDownLatch ready, final StartSignal signal) {
            try {
                work.run(before);
                ready.countDown();
                while (!signal.given) {
                    Thread.onSpinWait();
                }
                work.run(times);
            } catch (final RuntimeException e) {
                failure = e;
                ready.countDown();
            }
            ended = System.nanoTime();
            through.countDown();
        }

        long await(final long deadline, final Exchange.Patience patience) throws IOException, InterruptedException {
            final boolean done = through.await(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (!done || failure != null) {
                patience.exhaust();
                throw new IOException(done ? "a measurement failed" : "a measurement took longer than "
                    + DEADLINE_SECONDS + " s", failure);
            }
            return ended;
        }
    }
}
