/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The command that runs a Java program in the guest with this JVM's own JDK, class path and module options.
 */
public final class JavaCommand {
    /** More options for the JVM in the guest, separated by spaces. */
    static final String OPTIONS_PROPERTY = "rdma4j.qemu.jvm";

    /** Under emulation the second compiler costs more than it gives in a run of a minute, and so do GC threads. */
    private static final List<String> FOR_EMULATION =
        List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-ea");

    /** Options of this JVM that its classes need, wherever they run. */
    private static final List<String> INHERITED = List.of(
        "--add-opens", "--add-exports", "--enable-native-access", "--sun-misc-unsafe-memory-access");

    /** Properties that the guest's JVM gets from this one. */
    private static final List<String> PROPERTIES = List.of("rdma4j.", "agrona.");

    private JavaCommand() {
    }

    static List<String> of(final String folder, final List<String> mainAndArguments) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FOR_EMULATION);
        command.addAll(inheritedOptions());
        System.getProperties().stringPropertyNames().stream().sorted()
            .filter(name -> PROPERTIES.stream().anyMatch(name::startsWith))
            .filter(name -> !name.equals(ResultWriter.FOLDER_PROPERTY))
            .forEach(name -> command.add("-D" + name + '=' + System.getProperty(name)));
        command.add("-D" + ResultWriter.FOLDER_PROPERTY + '=' + folder);
        final String more = System.getProperty(OPTIONS_PROPERTY, "").strip();
        if (!more.isEmpty()) {
            command.addAll(List.of(more.split("\\s+")));
        }
        command.add("-cp");
        command.add(classPath());
        command.addAll(mainAndArguments);
        return command;
    }

    private static String classPath() {
        return classPathEntries().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * This JVM's class path. Surefire may start it with one jar that names the others: those are meant.
     *
     * @return jars and folders.
     */
    public static List<Path> classPathEntries() {
        final String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(path.split(File.pathSeparator))
            .filter(entry -> !entry.isEmpty())
            .map(entry -> Path.of(entry).toAbsolutePath())
            .toList();
    }

    /**
     * Options of this JVM that its classes need, wherever they run.
     *
     * @return such as {@code --add-opens=...}.
     */
    public static List<String> inheritedOptions() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> INHERITED.stream().anyMatch(option::startsWith)).toList();
    }
}
