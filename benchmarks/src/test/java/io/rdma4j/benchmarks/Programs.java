/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Other processes, which end in time or are ended. */
final class Programs {
    private static final long DEADLINE_SECONDS = 60;
    private static final Path RINGS = Path.of("c", "rings.c");

    private Programs() {
    }

    /** Compiles the C program that the rings are measured against, as {@code run.sh} does. */
    static Path compileRings(final Path folder) throws IOException, InterruptedException {
        final Path program = folder.resolve("rings");
        try {
            run("gcc", "-O2", "-pthread", "-o", program.toString(), RINGS.toString());
        } catch (final IOException e) {
            throw new IOException("the rings are measured against a C program, which could not be compiled here; "
                + "this installs what it takes: apt-get install gcc libc6-dev", e);
        }
        return program;
    }

    /** Runs a main class in another JVM of this JDK, which has no part in what tests did here before. */
    static List<String> java(final Class<?> main, final String... arguments) throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "-Dagrona.disable.bounds.checks=true",
            "-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return run(command.toArray(String[]::new));
    }

    /** What a program says on its standard output; fails with all that it said if it fails. */
    static List<String> run(final String... command) throws IOException, InterruptedException {
        final Path said = Files.createTempFile("said", ".txt");
        final Path complained = Files.createTempFile("complained", ".txt");
        try {
            final Process process = new ProcessBuilder(command).redirectOutput(said.toFile())
                .redirectError(complained.toFile()).start();
            final boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
            if (!ended || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IOException(String.join(" ", command)
                    + (ended ? " failed with " + process.exitValue() : " took more than " + DEADLINE_SECONDS + " s")
                    + ": " + Files.readString(said) + Files.readString(complained));
            }
            return Files.readAllLines(said);
        } finally {
            Files.delete(said);
            Files.delete(complained);
        }
    }
}
