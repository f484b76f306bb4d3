/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * How long a test waits for what will come: half of what a whole test may take, which is far more on a machine that is
 * busy on purpose ({@code ./test.sh --soak}).
 */
public final class Patience {
    private static final long PAUSE_NANOS = 20_000;
    private static final long SECONDS = Long.getLong("rdma4j.longest.test", 110) / 2;
    /** For an end: who sleeps as long as {@link #nanos()} because nobody woke it is found out before that. */
    private static final long END_MILLIS = TimeUnit.SECONDS.toMillis(SECONDS) * 2 / 3;
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final int MORE = 4;
    /** Looks, with pauses. */
    private static final int MOMENT = 50;

    private Patience() {
    }

    /**
     * {@return how long to wait}
     */
    public static long nanos() {
        return TimeUnit.SECONDS.toNanos(SECONDS);
    }

    /**
     * {@return how long to wait}
     */
    public static long millis() {
        return TimeUnit.SECONDS.toMillis(SECONDS);
    }

    /**
     * {@return how long to wait}
     */
    public static Duration duration() {
        return Duration.ofSeconds(SECONDS);
    }

    /** Between two looks at what another thread is to do: it may need this processor for it. */
    public static void pause() {
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    /**
     * Lets something miss its deadline that is to come to some place before. Without a processor it comes nowhere in a
     * short time: then it is tried again with four times as much, up to {@link #duration()}.
     *
     * @param attempt  what is seen when a time is over
     * @param isEnough whether it came so far
     * @param <T>      of what is seen
     * @return what was seen last
     */
    public static <T> T cutOff(final Function<Duration, T> attempt, final Predicate<T> isEnough) {
        Duration time = SHORT;
        T seen = attempt.apply(time);
        while (!isEnough.test(seen) && time.multipliedBy(MORE).compareTo(duration()) <= 0) {
            time = time.multipliedBy(MORE);
            seen = attempt.apply(time);
        }
        return seen;
    }

    /**
     * Waits for what other threads tell by a latch.
     *
     * @param latch that is about to open
     * @param what  it tells, for whoever reads that it did not open
     * @throws InterruptedException if the caller is to stop
     * @throws AssertionError       if it does not open
     */
    public static void await(final CountDownLatch latch, final String what) throws InterruptedException {
        if (!latch.await(millis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError(String.format("waited %d s for: %s; %d still to come", SECONDS, what,
                latch.getCount()));
        }
    }

    /**
     * The same where nobody can be told of an interrupt, as in a handler: it is kept for later.
     *
     * @param latch that is about to open
     * @param what  it tells, for whoever reads that it did not open
     * @throws AssertionError if it does not open
     */
    public static void awaitUninterruptibly(final CountDownLatch latch, final String what) {
        boolean isInterrupted = false;
        while (true) {
            try {
                await(latch, what);
                break;
            } catch (final InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits until a thread that was interrupted waits all the same: it is not interrupted meanwhile. While it fails
     * with an InterruptedException it is neither, for a moment.
     *
     * @param thread that was interrupted
     * @throws AssertionError if it does not wait
     */
    public static void awaitUndeterred(final Thread thread) {
        final long end = System.nanoTime() + nanos();
        int looks = 0;
        while (looks < MOMENT) {
            looks = thread.isInterrupted() ? 0 : looks + 1;
            if (System.nanoTime() - end >= 0) {
                throw new AssertionError(thread + " is interrupted and does not wait, for " + SECONDS + " s");
            }
            pause();
        }
    }

    /**
     * Waits for the end of a thread.
     *
     * @param thread that is about to end
     * @throws InterruptedException if the caller is to stop
     * @throws AssertionError       if it does not end; with what it does instead
     */
    public static void join(final Thread thread) throws InterruptedException {
        join(thread, () -> "");
    }

    /**
     * The same, where there is more to be told.
     *
     * @param thread that is about to end
     * @param seen   what the test has seen so far; asked for if it does not end
     * @throws InterruptedException if the caller is to stop
     * @throws AssertionError       if it does not end; with what it does instead
     */
    public static void join(final Thread thread, final Supplier<String> seen) throws InterruptedException {
        thread.join(END_MILLIS);
        if (thread.isAlive()) {
            throw new AssertionError(thread + " has not ended in " + END_MILLIS + " ms: " + thread.getState() + " in "
                + Arrays.toString(thread.getStackTrace()) + ' ' + seen.get());
        }
    }

    /**
     * Waits for what another thread works on.
     *
     * @param work that is about to be done
     * @param <T>  of what comes of it
     * @return what came of it
     * @throws InterruptedException if the caller is to stop
     * @throws ExecutionException   if it failed
     * @throws AssertionError       if it does not end; what all threads do instead is printed
     */
    public static <T> T get(final Future<T> work) throws InterruptedException, ExecutionException {
        try {
            return work.get(END_MILLIS, TimeUnit.MILLISECONDS);
        } catch (final TimeoutException e) {
            Thread.getAllStackTraces().forEach((thread, stack) ->
                System.err.println(thread + ": " + thread.getState() + " in " + Arrays.toString(stack)));
            throw new AssertionError(work + " is not over after " + END_MILLIS + " ms; the log has what threads do", e);
        }
    }

    /**
     * Waits for the end of a process.
     *
     * @param process that is about to end
     * @return whether it has
     * @throws InterruptedException if the caller is to stop
     */
    public static boolean ends(final Process process) throws InterruptedException {
        return process.waitFor(END_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Waits for the end of a process that somebody else has started.
     *
     * @param pid its number
     * @return whether it has ended
     */
    public static boolean ends(final long pid) {
        final long end = System.nanoTime() + nanos();
        boolean lives = true;
        while (lives && System.nanoTime() - end < 0) {
            pause();
            lives = ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
        }
        return !lives;
    }
}
