/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The C compiler of this machine, for programs that know the library's header and for a library of a test's own. */
final class Gcc {
    private Gcc() {
    }

    static boolean isThere() {
        for (final String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            if (Files.isExecutable(Path.of(folder, "gcc"))) {
                return true;
            }
        }
        return false;
    }

    /** Whether a header is found, here or where C_INCLUDE_PATH says. */
    static boolean hasHeader(final Path folder, final String header) throws IOException, InterruptedException {
        final Path source = Files.writeString(folder.resolve("has.c"), "#include <" + header + ">\n");
        return run(List.of("gcc", "-fsyntax-only", source.toString())).isEmpty();
    }

    /** Compiles and runs; what it prints. */
    static List<String> print(final Path folder, final String source) throws IOException, InterruptedException {
        final Path file = Files.writeString(folder.resolve("print.c"), source);
        final Path program = folder.resolve("print");
        assertThat(run(List.of("gcc", "-o", program.toString(), file.toString()))).isEmpty();
        return run(List.of(program.toString()));
    }

    /** Compiles a library; its file. */
    static Path library(final Path folder, final Path source) throws IOException, InterruptedException {
        final Path library = folder.resolve("libstub.so");
        assertThat(run(List.of("gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library.toString(),
            source.toString()))).isEmpty();
        return library;
    }

    private static List<String> run(final List<String> command) throws IOException, InterruptedException {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final List<String> lines = new ArrayList<>(
            new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList());
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        if (process.exitValue() != 0 && lines.isEmpty()) {
            lines.add("exit code " + process.exitValue());
        }
        return lines;
    }
}
