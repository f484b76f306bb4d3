/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A program that has ended.
 *
 * @param code  its exit code.
 * @param lines what it printed, also as errors.
 */
public record Ended(int code, List<String> lines) {
    /**
     * Runs a program to its end. One that does not come to it is killed, with its children.
     *
     * @param command the program and its arguments.
     * @return how it ended.
     * @throws IOException          if it cannot be started, or does not end in time.
     * @throws InterruptedException if the caller is to stop.
     */
    public static Ended of(final List<String> command) throws IOException, InterruptedException {
        return of(command, Patience.duration());
    }

    /** By a file, as a read of its output would wait for the end without any deadline. */
    static Ended of(final List<String> command, final Duration deadline) throws IOException, InterruptedException {
        final Path output = Files.createTempFile("rdma4j-ended", ".out");
        try {
            final Process process =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
            try {
                if (!process.waitFor(deadline.toSeconds(), TimeUnit.SECONDS)) {
                    throw new IOException(String.join(" ", command) + " did not end in " + deadline.toSeconds()
                        + " s: " + Files.readString(output));
                }
            } finally {
                ProcessTree.kill(process);
            }
            return new Ended(process.exitValue(), Files.readAllLines(output));
        } finally {
            Files.delete(output);
        }
    }

    /**
     * {@return its lines in one}
     */
    public String output() {
        return String.join("\n", lines);
    }
}
