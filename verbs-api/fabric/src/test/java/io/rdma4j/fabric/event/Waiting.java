/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.fabric.testing.Await;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Threads that wait. */
final class Waiting {
    private Waiting() {
    }

    static <T> Waiter<T> start(final Callable<T> waits) {
        return new Waiter<>(waits);
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
            Await.until("the waiter sleeps, it is " + thread.getState(), () -> isAsleep() || isOver());
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
            return task.get(Await.LONG.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
