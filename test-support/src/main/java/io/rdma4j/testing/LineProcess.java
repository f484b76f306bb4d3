/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM with a main class of the tests: takes a line, answers a line, and ends when nobody writes any more. */
public class LineProcess implements AutoCloseable {
    private final Process process;
    private final PrintWriter to;
    private final BufferedReader from;

    /**
     * Starts it.
     *
     * @param main    the class.
     * @param options of the JVM.
     * @param args    of the class.
     * @throws IOException if it cannot be started.
     */
    protected LineProcess(final Class<?> main, final List<String> options, final String... args) throws IOException {
        process = new ProcessBuilder(OtherJvm.command(options, main, args))
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        to = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        from = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Says something and waits for the answer.
     *
     * @param line what.
     * @return the answer.
     * @throws IOException if it cannot be read.
     */
    public final String ask(final String line) throws IOException {
        tell(line);
        return answer();
    }

    /**
     * Says something.
     *
     * @param line what.
     */
    public final void tell(final String line) {
        to.println(line);
    }

    /**
     * Waits for an answer.
     *
     * @return the next one.
     * @throws IOException if it cannot be read.
     */
    public final String answer() throws IOException {
        final String line = answerOrEnd();
        if (line == null) {
            throw new AssertionError("the other process has ended");
        }
        return line;
    }

    /**
     * Waits for an answer, or for the end of the process.
     *
     * @return the next one; null if there is none.
     * @throws IOException if it cannot be read.
     */
    public final String answerOrEnd() throws IOException {
        return from.readLine();
    }

    /**
     * As kill -9 does.
     *
     * @throws InterruptedException if this thread is interrupted.
     */
    public final void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(30, TimeUnit.SECONDS);
    }

    @Override
    public final void close() throws IOException {
        to.close();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (final InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
