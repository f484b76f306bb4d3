/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Finds a test that does not end, where the timeouts of tests are off: they were chosen for a machine that has time.
 * Thread-safe.
 */
final class HangGuard implements TestExecutionListener, AutoCloseable {
    private static final int LOOKS = 10;

    private final long longestNanos;
    private final Consumer<String> found;
    private final Map<TestIdentifier, Long> began = new ConcurrentHashMap<>();
    private final Thread thread = new Thread(this::watch, "hang-guard");

    /**
     * Begins to watch.
     *
     * @param longestNanos how long a test may take; above 0.
     * @param found        is told of a test that takes longer, with what all threads do; then the watch is over.
     */
    HangGuard(final long longestNanos, final Consumer<String> found) {
        this.longestNanos = longestNanos;
        this.found = found;
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void executionStarted(final TestIdentifier test) {
        if (test.isTest()) {
            began.put(test, System.nanoTime());
        }
    }

    @Override
    public void executionFinished(final TestIdentifier test, final TestExecutionResult result) {
        began.remove(test);
    }

    private void watch() {
        try {
            while (true) {
                TimeUnit.NANOSECONDS.sleep(longestNanos / LOOKS + 1);
                for (final Map.Entry<TestIdentifier, Long> each : began.entrySet()) {
                    final long nanos = System.nanoTime() - each.getValue();
                    if (nanos > longestNanos) {
                        found.accept(each.getKey().getUniqueId() + " has not ended for "
                            + TimeUnit.NANOSECONDS.toSeconds(nanos) + " s\n" + threads());
                        return;
                    }
                }
            }
        } catch (final InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
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
