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
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs cases one after the other, each on a thread of its own with a deadline. After each its objects are closed, and
 * the memory that the device reaches must not grow from run to run. A case that does not end leaves a thread that may
 * hold anything: no case is run after it, and nothing is waited for that may need what it holds.
 */
final class ConformanceRunner implements AutoCloseable {
    private static final Duration CLOSE_DEADLINE = Duration.ofSeconds(30);
    /** For what may hang, and is not needed. */
    private static final Duration TRY_DEADLINE = Duration.ofSeconds(5);
    private static final int MAX_GROWING_RUNS = 12;
    private static final Duration REST_OF_CLOSED_MEMORY = Duration.ofMillis(1200);

    private final ConformanceEnv env;
    private final Duration tryDeadline;
    private String stuck;
    private String stacks = "";

    /** Closes what the cases work with, when it is closed. */
    ConformanceRunner(final ConformanceEnv env) {
        this(env, env.patience(TRY_DEADLINE));
    }

    ConformanceRunner(final ConformanceEnv env, final Duration tryDeadline) {
        this.env = env;
        this.tryDeadline = tryDeadline;
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
                    dump(), start);
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
            : cause.toString(), stackTrace(cause) + dump(), start);
    }

    private ConformanceResult timedOut(final ConformanceCase test, final long start) {
        final String message = "did not end within " + env.longest(test.deadline()).toMillis() + " ms";
        return result(test, Outcome.FAIL, message, stacks + dump(), start);
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
            return result(test, Outcome.FAIL, "closing what it opened: " + cause, stackTrace(cause) + dump(),
                start);
        }
        if (env.device().isFailed()) {
            return result(test, Outcome.FAIL, "the device failed: " + env.device().failure(), dump(), start);
        }
        return first;
    }

    /** Closes the device, or tries to where a case may hold what that needs. */
    @Override
    public void close() {
        if (stuck == null) {
            env.close();
        } else {
            attempt(() -> {
                env.close();
                return "closed";
            }, "closing");
        }
    }

    private String dump() {
        return attempt(env::dump, "the dump");
    }

    /** Runs on a thread of its own what is given up if it does not end; what came of it. */
    private String attempt(final Callable<String> body, final String name) {
        final FutureTask<String> task = new FutureTask<>(body);
        start(task, name);
        try {
            return task.get(tryDeadline.toNanos(), TimeUnit.NANOSECONDS);
        } catch (final ExecutionException e) {
            return "(" + name + " failed: " + e.getCause() + ")";
        } catch (final TimeoutException e) {
            // It may hold anything, too; an interrupt might close a channel that others use.
            stuck = stuck == null ? name + " did not end" : stuck;
            return "(" + name + " does not end)";
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return "(" + name + " was interrupted)";
        }
    }

    private static Thread start(final FutureTask<?> task, final String name) {
        final Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Runs a task on a thread of its own; null if it ended well. */
    private Exception within(final FutureTask<Void> task, final String name, final Duration deadline) {
        final Thread thread = start(task, name);
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
