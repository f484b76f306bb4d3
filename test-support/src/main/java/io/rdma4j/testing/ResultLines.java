/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Writes a line for each test as it ends, its fields separated by tabs:
 *
 * <pre>
 *   PASS|FAIL|SKIP   class   method   test   milliseconds   message, in one line
 *   TIME             class   -        -      milliseconds   milliseconds of processors
 *   ROUND            number  milliseconds of processors since the JVM began
 * </pre>
 *
 * <p>A container that fails or is skipped as a whole counts as one test. Stack traces of failures go to standard
 * output. Thread-safe.
 */
final class ResultLines implements TestExecutionListener, AutoCloseable {
    private static final int LONGEST = 600;

    private final Writer lines;
    private final PrintStream out = System.out;
    private final Map<String, Begin> started = new ConcurrentHashMap<>();

    /** When a test or class began: by the clock, and for a class also in what processors had done until then. */
    private record Begin(long nanos, long processorMillis) {
        static Begin of(final TestIdentifier test) {
            return new Begin(System.nanoTime(), test.isTest() ? 0 : ProcessorTime.millis());
        }
    }

    ResultLines(final Path file) throws IOException {
        lines = Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Override
    public void executionStarted(final TestIdentifier test) {
        started.put(test.getUniqueId(), Begin.of(test));
    }

    @Override
    public void executionSkipped(final TestIdentifier test, final String reason) {
        write("SKIP", test, 0, reason);
    }

    @Override
    public void executionFinished(final TestIdentifier test, final TestExecutionResult result) {
        final Begin begin = started.remove(test.getUniqueId());
        final long millis = (System.nanoTime() - begin.nanos()) / 1_000_000;
        final Optional<Throwable> thrown = result.getThrowable();
        switch (result.getStatus()) {
            case ABORTED -> write("SKIP", test, millis, thrown.map(Throwable::getMessage).orElse(""));
            case FAILED -> {
                write("FAIL", test, millis, thrown.map(ResultLines::text).orElse(""));
                thrown.ifPresent(cause -> explain(test, cause));
            }
            default -> passed(test, millis, begin);
        }
    }

    private void passed(final TestIdentifier test, final long millis, final Begin begin) {
        if (test.isTest()) {
            write("PASS", test, millis, "");
        } else if (test.getSource().filter(ClassSource.class::isInstance).isPresent()) {
            write("TIME", test, millis, Long.toString(ProcessorTime.millis() - begin.processorMillis()));
        }
    }

    /** All classes have been run so often. */
    synchronized void round(final int number) throws IOException {
        lines.write("ROUND\t" + number + '\t' + ProcessorTime.millis() + '\n');
        lines.flush();
    }

    private static String text(final Throwable thrown) {
        return thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
    }

    @SuppressWarnings("checkstyle:RegexpSinglelineJava")
    private void explain(final TestIdentifier test, final Throwable cause) {
        synchronized (out) {
            out.println("FAILED " + className(test) + ' ' + test.getDisplayName());
            cause.printStackTrace(out);
        }
    }

    private synchronized void write(
        final String status, final TestIdentifier test, final long millis, final String message) {
        try {
            lines.write(String.join("\t", status, className(test), methodName(test), oneLine(test.getDisplayName()),
                Long.toString(millis), shortened(oneLine(message))) + '\n');
            lines.flush();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Both ends: what was expected stands at the front, what a program said before it ended at the back. */
    private static String shortened(final String text) {
        final int half = LONGEST / 2;
        return text.length() <= LONGEST ? text
            : text.substring(0, half) + " ... " + text.substring(text.length() - half);
    }

    private static String oneLine(final String text) {
        return text == null ? "" : text.replaceAll("\\s+", " ").strip();
    }

    private static String className(final TestIdentifier test) {
        return test.getUniqueIdObject().getSegments().stream().filter(part -> part.getType().equals("class"))
            .map(part -> part.getValue()).findFirst().orElseGet(test::getDisplayName);
    }

    private static String methodName(final TestIdentifier test) {
        return test.getSource().filter(MethodSource.class::isInstance).map(MethodSource.class::cast)
            .map(MethodSource::getMethodName).orElse("-");
    }

    @Override
    public void close() throws IOException {
        lines.close();
    }
}
