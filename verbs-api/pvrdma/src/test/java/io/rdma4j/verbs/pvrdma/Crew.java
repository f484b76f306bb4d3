/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.testing.Patience;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Threads of a test; none may fail, or outlive it. */
final class Crew implements AfterEachCallback {
    private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
    private final List<Thread> threads = new ArrayList<>();

    /** What a thread does. */
    @FunctionalInterface
    interface Task {
        void run() throws Exception;
    }

    Thread start(final Task task) {
        final Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (final Exception | AssertionError e) {
                failures.add(e);
            }
        });
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
        return thread;
    }

    boolean hasFailed() {
        return !failures.isEmpty();
    }

    /** Waits until a thread sleeps, or whatever else is awaited. */
    static void await(final String what, final BooleanSupplier condition) {
        final long deadline = System.nanoTime() + Patience.nanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - deadline).as(what).isNegative();
            Patience.pause();
        }
    }

    static void awaitSleep(final Thread thread) {
        await(thread + " sleeps", () -> {
            final Thread.State state = thread.getState();
            assertThat(state).as("%s was to sleep", thread).isNotEqualTo(Thread.State.TERMINATED);
            return state == Thread.State.TIMED_WAITING;
        });
    }

    void join() throws InterruptedException {
        for (final Thread thread : threads) {
            thread.join(Patience.millis());
            if (thread.isAlive()) {
                final AssertionError stuck = new AssertionError(thread + " goes on for ever");
                stuck.setStackTrace(thread.getStackTrace());
                failures.add(stuck);
            }
        }
        threads.clear();
        final AssertionError all = new AssertionError(failures.size() + " threads failed");
        failures.forEach(all::addSuppressed);
        if (!failures.isEmpty()) {
            throw all;
        }
    }

    @Override
    public void afterEach(final ExtensionContext test) throws InterruptedException {
        if (test.getExecutionException().isEmpty()) {
            join();
        }
    }
}
