/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.process;

import io.rdma4j.testing.ProcessTree;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Short commands of this host, run to their end.
 */
public final class HostCommand {
    private HostCommand() {
    }

    /**
     * What a command left.
     *
     * @param exitCode its exit code; {@link #NOT_FOUND} if there is no such program.
     * @param output   its standard output; with {@link HostCommand#run} standard error, too.
     */
    public record Outcome(int exitCode, byte[] output) {
        /** Exit code of a program that does not exist, as shells number it. */
        public static final int NOT_FOUND = 127;

        /**
         * Whether the command succeeded.
         *
         * @return true for exit code 0.
         */
        public boolean succeeded() {
            return exitCode == 0;
        }

        /**
         * The output as text.
         *
         * @return without white space at its end.
         */
        public String text() {
            return new String(output, StandardCharsets.UTF_8).stripTrailing();
        }
    }

    /**
     * Runs a command, standard error mixed into its output.
     *
     * @param folder   its working folder; null for this process' own.
     * @param deadline longest run.
     * @param command  program and arguments.
     * @return exit code and output.
     * @throws IllegalStateException if it runs longer; the command is killed with its children, and the message shows
     *                               what it said.
     */
    public static Outcome run(final Path folder, final Duration deadline, final List<String> command) {
        return execute(folder, deadline, command, true);
    }

    /**
     * Runs a command for its standard output, which may be binary.
     *
     * @param deadline longest run.
     * @param command  program and arguments.
     * @return exit code and standard output.
     * @throws IllegalStateException if it runs longer; the command is killed.
     */
    public static Outcome output(final Duration deadline, final List<String> command) {
        return execute(null, deadline, command, false);
    }

    private static Outcome execute(
        final Path folder, final Duration deadline, final List<String> command, final boolean mixErrors) {
        try {
            final Path file = Files.createTempFile("rdma4j-command", ".out");
            try {
                return execute(folder, deadline, command, mixErrors, file);
            } finally {
                Files.delete(file);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot run " + String.join(" ", command), e);
        }
    }

    private static Outcome execute(
        final Path folder, final Duration deadline, final List<String> command, final boolean mixErrors,
        final Path file) throws IOException {
        final ProcessBuilder builder = new ProcessBuilder(command)
            .directory(folder == null ? null : folder.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectOutput(file.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectErrorStream(mixErrors);
        builder.environment().put("LC_ALL", "C.UTF-8");
        final Process process;
        try {
            process = builder.start();
        } catch (final IOException e) {
            return new Outcome(Outcome.NOT_FOUND, String.valueOf(e.getMessage()).getBytes(StandardCharsets.UTF_8));
        }
        try {
            if (process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                return new Outcome(process.exitValue(), Files.readAllBytes(file));
            }
            throw new IllegalStateException(String.format("'%s' ran longer than %d s and was killed; it said: %s",
                String.join(" ", command), deadline.toSeconds(), Files.readString(file)));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while running " + String.join(" ", command), e);
        } finally {
            ProcessTree.kill(process);
        }
    }
}
