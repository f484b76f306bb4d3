/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs a program of this package in JVMs of its own, one after the other, with the flags of this one: where memory and
 * threads come to lie, and what the compiler saw first, is different in each. What they find they leave as
 * {@link Figures}.
 */
final class Forks {
    /** The name by which a fork leaves its figures. */
    static final String SECTION = "fork";
    private static final long DEADLINE_MINUTES = 10;
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    private Forks() {
    }

    static List<Map<String, Double>> run(final Class<?> program, final int count, final String... args)
        throws IOException, InterruptedException {
        final Path folder = Files.createTempDirectory("rdma4j-forks-");
        try {
            final List<Map<String, Double>> found = new ArrayList<>();
            for (int fork = 1; fork <= count; fork++) {
                System.err.println(program.getSimpleName() + " " + String.join(" ", args) + ": fork " + fork + " of "
                    + count);
                run(command(folder, program, args));
                found.add(Figures.read(folder, SECTION));
                Files.delete(Figures.file(folder, SECTION));
            }
            return found;
        } finally {
            Folders.delete(folder);
        }
    }

    private static List<String> command(final Path folder, final Class<?> program, final String... args) {
        final List<String> command = new ArrayList<>(List.of(JAVA.toString()));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.add("-D" + Figures.FOLDER + "=" + folder);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(List.of(args));
        return command;
    }

    private static void run(final List<String> command) throws IOException, InterruptedException {
        final Process process = new ProcessBuilder(command).redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.INHERIT).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        final Thread end = new Thread(process::destroy, "end of a fork");
        Runtime.getRuntime().addShutdownHook(end);
        try {
            if (!process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES)) {
                throw new IOException("no end after " + DEADLINE_MINUTES + " minutes: " + command);
            }
            if (process.exitValue() != 0) {
                throw new IOException("failed with exit code " + process.exitValue() + ": " + command);
            }
        } finally {
            process.destroyForcibly();
            Runtime.getRuntime().removeShutdownHook(end);
        }
    }
}
