/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Other programs, which end in time or are ended; and with this one, if it is ended before them. */
public final class ChildProcess {
    private static final File NOTHING = new File("/dev/null");
    /** For who is asked to end, before it is made to. */
    private static final long GRACE_SECONDS = 5;

    private ChildProcess() {
    }

    /**
     * Runs a program to its end.
     *
     * @param command  the program and its arguments
     * @param deadline how long it may take
     * @return the lines of its standard output
     * @throws IOException          if it cannot be started, fails or is not through in time; with all that it said
     * @throws InterruptedException if the caller is to stop; the program is ended first
     */
    public static List<String> run(final List<String> command, final Duration deadline)
        throws IOException, InterruptedException {
        final Path said = Files.createTempFile("rdma4j-said-", ".txt");
        final Path complained = Files.createTempFile("rdma4j-complained-", ".txt");
        said.toFile().deleteOnExit(); // Also if this program is ended meanwhile.
        complained.toFile().deleteOnExit();
        try {
            final String wrong = wrong(new ProcessBuilder(command).redirectInput(NOTHING)
                .redirectOutput(said.toFile()).redirectError(complained.toFile()).start(), deadline);
            if (wrong != null) {
                throw new IOException(String.join(" ", command) + ": " + wrong + "; it said: " + Files.readString(said)
                    + Files.readString(complained));
            }
            return Files.readAllLines(said);
        } finally {
            Files.delete(said);
            Files.delete(complained);
        }
    }

    /** Null if it ends well. */
    private static String wrong(final Process process, final Duration deadline) throws InterruptedException {
        final Thread end = new Thread(process::destroy, "end of a child");
        Runtime.getRuntime().addShutdownHook(end);
        try {
            if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                return "no end after " + deadline.toSeconds() + " s";
            }
            return process.exitValue() == 0 ? null : "exit code " + process.exitValue();
        } finally {
            end(process);
            forget(end);
        }
    }

    /** Asks first: it may have folders to delete. */
    private static void end(final Process process) throws InterruptedException {
        process.destroy();
        try {
            process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS);
        } finally {
            process.destroyForcibly();
        }
    }

    /** Removes a shutdown hook that has nothing left to do. */
    static void forget(final Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            // This program is being ended: the hook has done its work, or does it now.
            return;
        }
    }
}
