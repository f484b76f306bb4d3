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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM of the same kind: same class path, same flags and some more. */
final class ChildJvm {
    private static final File NOTHING = new File("/dev/null");

    private ChildJvm() {
    }

    /**
     * Runs a program to its end.
     *
     * @return what it printed
     * @throws IOException if it fails or is not through in time; then it is ended
     */
    static List<String> run(
        final List<String> flags, final Class<?> program, final List<String> arguments, final Duration deadline)
        throws IOException, InterruptedException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        final Path output = Files.createTempFile("rdma4j-benchmark", ".out");
        try {
            run(command, output, deadline);
            return Files.readAllLines(output);
        } finally {
            Files.delete(output);
        }
    }

    private static void run(final List<String> command, final Path output, final Duration deadline)
        throws IOException, InterruptedException {
        final Process process = new ProcessBuilder(command).redirectInput(NOTHING).redirectOutput(output.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        // Who ends this program ends that one too.
        final Thread end = new Thread(process::destroy, "end of a child");
        Runtime.getRuntime().addShutdownHook(end);
        try {
            final boolean through = process.waitFor(deadline.toSeconds(), TimeUnit.SECONDS);
            if (!through || process.exitValue() != 0) {
                throw new IOException((through ? "exit code " + process.exitValue() : "no end after "
                    + deadline.toSeconds() + " s") + " of " + command + ", which printed: "
                    + Files.readString(output));
            }
        } finally {
            process.destroyForcibly();
            Runtime.getRuntime().removeShutdownHook(end);
        }
    }
}
