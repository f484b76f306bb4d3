/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Another JVM of the same kind: same class path, same flags and some more. Where memory and threads come to lie, and
 * what the compiler saw first, is different in each.
 */
public final class ChildJvm {
    /** The name by which a program leaves {@link Figures} for {@link #figures}. */
    public static final String SECTION = "fork";
    private static final Duration DEADLINE = Duration.ofMinutes(10);

    private ChildJvm() {
    }

    /**
     * Runs a program to its end.
     *
     * @param flags     for the JVM, in addition to those of this one
     * @param program   its main class
     * @param arguments for it
     * @param deadline  how long it may take
     * @return the lines that it printed
     * @throws IOException          if it fails or is not through in time; then it is ended
     * @throws InterruptedException if the caller is to stop
     */
    public static List<String> run(
        final List<String> flags, final Class<?> program, final List<String> arguments, final Duration deadline)
        throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        return ChildProcess.run(command, deadline);
    }

    /**
     * Runs a program in JVMs of its own, one after the other.
     *
     * @param program leaves figures as those of {@link #SECTION}
     * @param count   how many JVMs
     * @param args    for the program
     * @return what each of them found
     * @throws IOException          if one of them fails or is not through in time
     * @throws InterruptedException if the caller is to stop
     */
    public static List<Map<String, Double>> figures(final Class<?> program, final int count, final String... args)
        throws IOException, InterruptedException {
        final Path folder = Files.createTempDirectory("rdma4j-forks-");
        folder.toFile().deleteOnExit(); // Also if this program is ended meanwhile.
        try {
            final List<Map<String, Double>> found = new ArrayList<>();
            for (int fork = 1; fork <= count; fork++) {
                System.err.println(program.getSimpleName() + " " + String.join(" ", args) + ": fork " + fork + " of "
                    + count);
                run(List.of("-D" + Figures.FOLDER + "=" + folder), program, List.of(args), DEADLINE);
                found.add(Figures.read(folder, SECTION));
                Files.delete(Figures.file(folder, SECTION));
            }
            return found;
        } finally {
            Folders.delete(folder);
        }
    }
}
