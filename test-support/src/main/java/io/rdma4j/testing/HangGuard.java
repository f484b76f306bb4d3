/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Finds a test that does not end, where the timeouts of tests are off: they were chosen for a machine that has time.
 * Also what hangs before, between and after tests, such as the closing of a device that all tests of a class use.
 * Thread-safe.
 */
final class HangGuard implements TestExecutionListener, AutoCloseable {
    private static final int LOOKS = 10;

    private final long longestNanos;
    private final Consumer<String> found;
    private final Map<TestIdentifier, Long> began = new ConcurrentHashMap<>();
    /** When something last began, ended, was left out or was made by a factory. */
    private volatile long lastEventNanos = System.nanoTime();
    private final Thread thread = new Thread(this::watch, "hang-guard");

    /**
     * Begins to watch.
     *
     * @param longestNanos how long a test may take, and how long nothing may begin or end in a class; above 0.
     * @param found        is told of what takes longer, with what all threads do; then the watch is over.
     */
    HangGuard(final long longestNanos, final Consumer<String> found) {
        this.longestNanos = longestNanos;
        this.found = found;
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void executionStarted(final TestIdentifier test) {
        lastEventNanos = System.nanoTime();
        began.put(test, lastEventNanos);
    }

    @Override
    public void executionSkipped(final TestIdentifier test, final String reason) {
        lastEventNanos = System.nanoTime();
    }

    @Override
    public void dynamicTestRegistered(final TestIdentifier test) {
        lastEventNanos = System.nanoTime();
    }

    @Override
    public void executionFinished(final TestIdentifier test, final TestExecutionResult result) {
        lastEventNanos = System.nanoTime();
        began.remove(test);
    }

    private void watch() {
        try {
            while (true) {
                TimeUnit.NANOSECONDS.sleep(longestNanos / LOOKS + 1);
                final Optional<String> stuck = stuck();
                if (stuck.isPresent()) {
                    found.accept(stuck.get() + '\n' + threads());
                    return;
                }
            }
        } catch (final InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** What began last comes first: a test before its class. */
    private Optional<String> stuck() {
        return began.entrySet().stream().sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
            .flatMap(each -> stuck(each.getKey(), each.getValue()).stream()).findFirst();
    }

    private Optional<String> stuck(final TestIdentifier what, final long beganNanos) {
        final long nanos = System.nanoTime() - (what.isTest() ? beganNanos : lastEventNanos);
        return nanos <= longestNanos ? Optional.empty() : Optional.of(what.getUniqueId()
            + (what.isTest() ? " has not ended for " : ": nothing in it has begun or ended for ")
            + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s");
    }

    private static String threads() {
        final StringBuilder text = new StringBuilder();
        Thread.getAllStackTraces().forEach((each, frames) -> {
            text.append(each.getName()).append(", ").append(each.getState()).append('\n');
            for (final StackTraceElement frame : frames) {
                text.append("    at ").append(frame).append('\n');
            }
        });
        return text.toString();
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
