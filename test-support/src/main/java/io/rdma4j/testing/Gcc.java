/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The C compiler of this machine, for programs that know a library's header and for a library of a test's own. */
public final class Gcc {
    private static final String STUB = "stub.c";

    private Gcc() {
    }

    /**
     * Whether there is one.
     *
     * @return true if {@code gcc} is found by PATH.
     */
    public static boolean isThere() {
        for (final String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)) {
            if (Files.isExecutable(Path.of(folder, "gcc"))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether a header is found, here or where C_INCLUDE_PATH says.
     *
     * @param folder for a source that includes it.
     * @param header such as {@code infiniband/verbs.h}.
     * @return whether that can be compiled.
     * @throws IOException          if the compiler cannot be run.
     * @throws InterruptedException if the caller is to stop.
     */
    public static boolean hasHeader(final Path folder, final String header) throws IOException, InterruptedException {
        final Path source = Files.writeString(folder.resolve("has.c"), "#include <" + header + ">\n");
        return Ended.of(List.of("gcc", "-fsyntax-only", source.toString())).code() == 0;
    }

    /**
     * Compiles and runs a program.
     *
     * @param folder for its files.
     * @param source its text.
     * @return the lines that it prints.
     * @throws IOException          if it cannot be compiled, or fails.
     * @throws InterruptedException if the caller is to stop.
     */
    public static List<String> print(final Path folder, final String source) throws IOException, InterruptedException {
        return require(List.of(compile(folder, "print", source).toString()));
    }

    /**
     * Compiles and runs a program before whose libraries another one is loaded.
     *
     * @param folder  for its files.
     * @param library the source of the other one.
     * @param source  the program's.
     * @return the lines that it prints.
     * @throws IOException          if one of them cannot be compiled, or the program fails.
     * @throws InterruptedException if the caller is to stop.
     */
    public static List<String> printPreloaded(final Path folder, final String library, final String source)
        throws IOException, InterruptedException {
        final Path first =
            compile(folder, "preloaded", library, "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror");
        final Path program =
            compile(folder, "print", source, "-O1", "-pthread", "-rdynamic", "-Wall", "-Werror");
        return require(List.of("env", "LD_PRELOAD=" + first, program.toString()));
    }

    /**
     * Compiles a program, or a library.
     *
     * @param folder  for its files.
     * @param name    what it is to be called there.
     * @param source  its text.
     * @param options of the compiler.
     * @return what was made.
     * @throws IOException          if it cannot be compiled.
     * @throws InterruptedException if the caller is to stop.
     */
    public static Path compile(final Path folder, final String name, final String source, final String... options)
        throws IOException, InterruptedException {
        final Path file = Files.writeString(folder.resolve(name + ".c"), source);
        final Path compiled = folder.resolve(name);
        final List<String> command = new ArrayList<>(List.of("gcc", "-o", compiled.toString(), file.toString()));
        command.addAll(List.of(options));
        require(command);
        return compiled;
    }

    /**
     * Compiles stub.c, which stands beside this class: a library with libibverbs' functions and no device.
     *
     * @param folder for its files.
     * @return the library.
     * @throws IOException          if it cannot be compiled.
     * @throws InterruptedException if the caller is to stop.
     */
    public static Path stubOfLibibverbs(final Path folder) throws IOException, InterruptedException {
        return stubOfLibibverbs(folder, "", "");
    }

    /**
     * Compiles stub.c with another text in one place: an old library, or a wrong one.
     *
     * @param folder for its files.
     * @param from   what stands there.
     * @param to     what is to stand there.
     * @return the library.
     * @throws IOException          if it cannot be compiled.
     * @throws InterruptedException if the caller is to stop.
     */
    public static Path stubOfLibibverbs(final Path folder, final String from, final String to)
        throws IOException, InterruptedException {
        final Path source = folder.resolve(STUB);
        try (InputStream in = Gcc.class.getResourceAsStream(STUB)) {
            Files.writeString(source, new String(in.readAllBytes(), StandardCharsets.UTF_8).replace(from, to));
        }
        final Path library = folder.resolve("libstub.so");
        require(List.of("gcc", "-shared", "-fPIC", "-pthread", "-O1", "-Wall", "-Werror", "-o", library.toString(),
            source.toString()));
        return library;
    }

    private static List<String> require(final List<String> command) throws IOException, InterruptedException {
        final Ended ended = Ended.of(command);
        if (ended.code() != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + ended.code() + ": "
                + ended.output());
        }
        return ended.lines();
    }
}
