/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import io.rdma4j.RdmaException;
import io.rdma4j.fabric.FabricException;
import io.rdma4j.conformance.ConformanceResult.Outcome;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs cases one after the other, each on a thread of its own with a deadline. After each its objects are closed, and
 * the memory that the device reaches must not grow from run to run. A case that does not end leaves a thread that may
 * hold anything: no case is run after it.
 */
final class ConformanceRunner {
    private static final Duration CLOSE_DEADLINE = Duration.ofSeconds(30);
    private static final int MAX_GROWING_RUNS = 12;
    private static final Duration REST_OF_CLOSED_MEMORY = Duration.ofMillis(1200);

    private final ConformanceEnv env;
    private String stuck;
    private String stacks = "";

    ConformanceRunner(final ConformanceEnv env) {
        this.env = env;
    }

    ConformanceResult run(final ConformanceCase test) {
        final long start = System.nanoTime();
        if (stuck != null) {
            return result(test, Outcome.FAIL, "not run: " + stuck, "", start);
        }
        String whyNot = test.whyNot(env.device());
        if (whyNot == null && env.hasTwoDevices()) {
            whyNot = test.whyNot(env.peer());
        }
        if (whyNot != null) {
            return result(test, Outcome.SKIP, whyNot, "", start);
        }
        final long before = env.reachableBytes();
        ConformanceResult last = runAndClose(test, start);
        final StringBuilder sizes = new StringBuilder().append(before);
        long reached = before;
        // Drivers keep memory in chunks for later use, and let that of closed queues rest for a while, so it may grow
        // at first. What never stops growing is lost.
        for (int run = 1; last.outcome() == Outcome.PASS && env.reachableBytes() > reached; run++) {
            reached = env.reachableBytes();
            sizes.append(", ").append(reached);
            if (run == MAX_GROWING_RUNS) {
                return result(test, Outcome.FAIL, "the memory that the device reaches grows each time: " + sizes,
                    env.dump(), start);
            }
            if (run == MAX_GROWING_RUNS / 2) {
                LockSupport.parkNanos(REST_OF_CLOSED_MEMORY.toNanos());
            }
            last = runAndClose(test, start);
        }
        return last;
    }

    private ConformanceResult runAndClose(final ConformanceCase test, final long start) {
        env.begin(test.name());
        final ConformanceResult result = runBody(test, start);
        return stuck != null ? result : afterwards(test, result, start);
    }

    private ConformanceResult runBody(final ConformanceCase test, final long start) {
        final FutureTask<Void> body = new FutureTask<>(() -> {
            test.run(env);
            return null;
        });
        final Exception trouble = within(body, test.name(), env.longest(test.deadline()));
        if (trouble == null) {
            return result(test, Outcome.PASS, "", "", start);
        }
        if (trouble instanceof TimeoutException) {
            return timedOut(test, start);
        }
        final Throwable cause = trouble.getCause() == null ? trouble : trouble.getCause();
        if (cause instanceof CaseSkipped) {
            return result(test, Outcome.SKIP, cause.getMessage(), "", start);
        }
        final boolean explained = cause instanceof AssertionError || cause instanceof RdmaException
            || cause instanceof FabricException;
        return result(test, Outcome.FAIL, explained && cause.getMessage() != null ? cause.getMessage()
            : cause.toString(), stackTrace(cause) + env.dump(), start);
    }

    private ConformanceResult timedOut(final ConformanceCase test, final long start) {
        final String message = "did not end within " + env.longest(test.deadline()).toMillis() + " ms";
        return result(test, Outcome.FAIL, message, stacks + env.dump(), start);
    }

    /** Closes what the case left open; a case that passed can still fail here. */
    private ConformanceResult afterwards(
        final ConformanceCase test, final ConformanceResult first, final long start) {
        final FutureTask<Void> closing = new FutureTask<>(() -> {
            env.closeOwned();
            return null;
        });
        final Exception trouble = within(closing, "closing after " + test.name(), env.patience(CLOSE_DEADLINE));
        if (first.outcome() == Outcome.FAIL) {
            return first;
        }
        if (trouble != null) {
            final Throwable cause = trouble.getCause() == null ? trouble : trouble.getCause();
            return result(test, Outcome.FAIL, "closing what it opened: " + cause, stackTrace(cause) + env.dump(),
                start);
        }
        if (env.device().isFailed()) {
            return result(test, Outcome.FAIL, "the device failed: " + env.device().failure(), env.dump(), start);
        }
        return first;
    }

    /** Runs a task on a thread of its own; null if it ended well. */
    private Exception within(final FutureTask<Void> task, final String name, final Duration deadline) {
        final Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        try {
            task.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
            return null;
        } catch (final ExecutionException e) {
            return e;
        } catch (final TimeoutException e) {
            stuck = "'" + name + "' did not end";
            stacks = threads();
            thread.interrupt();
            return e;
        } catch (final InterruptedException e) {
            stuck = "the run was interrupted";
            Thread.currentThread().interrupt();
            return e;
        }
    }

    private static ConformanceResult result(
        final ConformanceCase test, final Outcome outcome, final String message, final String detail,
        final long start) {
        return new ConformanceResult(
            test.name(), outcome, message, detail, Duration.ofNanos(System.nanoTime() - start));
    }

    private static String stackTrace(final Throwable cause) {
        final StringWriter text = new StringWriter();
        final PrintWriter writer = new PrintWriter(text);
        writer.println(cause);
        for (Throwable part = cause; part != null; part = part.getCause()) {
            writer.println(part == cause ? "" : "caused by " + part);
            for (final StackTraceElement element : part.getStackTrace()) {
                writer.println("    at " + element);
            }
        }
        return text.toString();
    }

    private static String threads() {
        final StringBuilder text = new StringBuilder("threads:\n");
        for (final Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            text.append("  ").append(entry.getKey()).append(' ').append(entry.getKey().getState()).append('\n');
            for (final StackTraceElement element : entry.getValue()) {
                text.append("      at ").append(element).append('\n');
            }
        }
        return text.toString();
    }
}
