/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdma4j.fabric.FabricException;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** What the tests here share. */
final class Waiting {
    static final Duration LONG = Duration.ofSeconds(30);

    private Waiting() {
    }

    static FabricException assertRefused(final int errno, final ThrowingCallable call) {
        final FabricException thrown = catchThrowableOfType(FabricException.class, call);
        assertThat(thrown).isNotNull();
        assertThat(thrown.errno()).as(thrown.getMessage()).isEqualTo(errno);
        return thrown;
    }

    static <T> Waiter<T> start(final Callable<T> waits) {
        return new Waiter<>(waits);
    }

    static void until(final String what, final BooleanSupplier condition) {
        final long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - start).as("waiting until " + what).isLessThan(LONG.toNanos());
            Thread.yield(); // On a busy machine whoever is waited for may be without a processor.
        }
    }

    /** A thread that waits for something. */
    static final class Waiter<T> {
        private final FutureTask<T> task;
        private final Thread thread;

        private Waiter(final Callable<T> waits) {
            task = new FutureTask<>(waits);
            thread = new Thread(task, "waiter");
            thread.setDaemon(true);
            thread.start();
        }

        /** Sleeps, or is over. */
        Waiter<T> asleep() {
            until("the waiter sleeps, it is " + thread.getState(), () -> isAsleep() || isOver());
            return this;
        }

        boolean isAsleep() {
            return thread.getState() == Thread.State.TIMED_WAITING;
        }

        boolean isOver() {
            return task.isDone();
        }

        void interrupt() {
            thread.interrupt();
        }

        T result() throws Exception {
            return task.get(LONG.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
