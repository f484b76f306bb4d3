/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How a test starts another JVM: by the same JDK, with the same classes, and with those options of this one without
 * which they do not work, or with which newer JDKs have nothing to say about native calls. Stateless.
 */
public final class OtherJvm {
    /** What ends after seconds wants neither the second compiler nor threads of a collector. */
    private static final List<String> FOR_SECONDS = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    /** Options that classes need, wherever they run. */
    private static final List<String> NEEDED =
        List.of("--add-opens", "--add-exports", "--enable-native-access", "--sun-misc-unsafe-memory-access");

    private OtherJvm() {
    }

    /**
     * What starts a class.
     *
     * @param options of the JVM, behind those that it needs.
     * @param main    the class.
     * @param args    of the class.
     * @return the program and its arguments; the caller may add to it.
     */
    public static List<String> command(final List<String> options, final Class<?> main, final String... args) {
        final List<String> command = new ArrayList<>();
        command.add(java());
        command.addAll(FOR_SECONDS);
        command.addAll(neededOptions());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(), main.getName()));
        command.addAll(List.of(args));
        return command;
    }

    /**
     * The program of this JDK.
     *
     * @return its path.
     */
    public static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    /**
     * Options of this JVM that its classes need, wherever they run.
     *
     * @return such as {@code --add-opens=...}.
     */
    public static List<String> neededOptions() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> NEEDED.stream().anyMatch(option::startsWith)).toList();
    }

    /**
     * This JVM's class path.
     *
     * @return as {@code -cp} wants it, wherever the other JVM is started.
     */
    public static String classPath() {
        return classPathEntries().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * This JVM's class path. Surefire may start it with one jar that names the others: those are meant.
     *
     * @return jars and folders, with absolute names.
     */
    public static List<Path> classPathEntries() {
        final String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(path.split(File.pathSeparator))
            .filter(entry -> !entry.isEmpty())
            .map(entry -> Path.of(entry).toAbsolutePath())
            .toList();
    }
}
