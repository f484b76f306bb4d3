/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;

/**
 * Reports outcomes from inside a guest: each one as a {@link ResultLine} to the file that the host reads, and to the
 * console that people watch. The last line, the sum of the outcomes, tells the host that nothing is missing.
 *
 * <p>Thread-safe.
 */
public final class ResultWriter implements AutoCloseable {
    /** Name of the file in the folder of the command. */
    public static final String FILE_NAME = "results.txt";
    /** System property that names the command's folder; {@link FabricGuest} sets it. */
    public static final String FOLDER_PROPERTY = "rdma4j.qemu.folder";

    private final PrintWriter file;
    private final PrintStream console;
    private final Map<ResultLine.Status, Integer> counts = new EnumMap<>(ResultLine.Status.class);
    private boolean closed;

    /**
     * Reports to the given places.
     *
     * @param file    where lines are kept; closed with this object.
     * @param console where people see them; left open.
     */
    public ResultWriter(final Writer file, final PrintStream console) {
        this.file = new PrintWriter(file, true);
        this.console = console;
    }

    /**
     * Reports to the folder that the harness named, or only to the console when there is none (run by hand).
     *
     * @param console where people see the lines; left open.
     * @return a new writer.
     * @throws IOException if the file cannot be made.
     */
    public static ResultWriter open(final PrintStream console) throws IOException {
        final String folder = System.getProperty(FOLDER_PROPERTY);
        return new ResultWriter(
            folder == null ? Writer.nullWriter() : Files.newBufferedWriter(Path.of(folder, FILE_NAME)), console);
    }

    /**
     * Reports a test that held.
     *
     * @param name    the test, without white space.
     * @param message what was seen.
     */
    public void pass(final String name, final String message) {
        write(new ResultLine(name, ResultLine.Status.PASS, message));
    }

    /**
     * Reports a test that did not hold.
     *
     * @param name    the test, without white space.
     * @param message what was expected and what was seen.
     */
    public void fail(final String name, final String message) {
        write(new ResultLine(name, ResultLine.Status.FAIL, message));
    }

    /**
     * Reports a test that this device cannot run.
     *
     * @param name   the test, without white space.
     * @param reason what the device cannot do.
     */
    public void skip(final String name, final String reason) {
        write(new ResultLine(name, ResultLine.Status.SKIP, reason));
    }

    /**
     * Reports an outcome.
     *
     * @param line the outcome.
     */
    public synchronized void write(final ResultLine line) {
        counts.merge(line.status(), 1, Integer::sum);
        print(line.format());
    }

    /**
     * Says more about an outcome that was or will be reported.
     *
     * @param name the test, without white space.
     * @param text one line.
     */
    public synchronized void detail(final String name, final String text) {
        print("DETAIL " + name + ' ' + text);
    }

    /**
     * Reports a fact.
     *
     * @param key   its name, without '='.
     * @param value one line.
     */
    public synchronized void info(final String key, final Object value) {
        print("INFO " + key + '=' + value);
    }

    private void print(final String line) {
        file.println(line);
        console.println(line);
    }

    private int count(final ResultLine.Status status) {
        return counts.getOrDefault(status, 0);
    }

    /**
     * Outcomes reported as failed.
     *
     * @return their number.
     */
    public synchronized int failures() {
        return count(ResultLine.Status.FAIL);
    }

    /** Marks the report complete. Harmless when called again. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            print(GuestResult.summaryLine(count(ResultLine.Status.PASS), count(ResultLine.Status.FAIL),
                count(ResultLine.Status.SKIP)));
            file.close();
            console.flush();
        }
    }
}
