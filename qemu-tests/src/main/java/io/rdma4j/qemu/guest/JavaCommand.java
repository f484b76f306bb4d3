/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.guest;

import io.rdma4j.testing.OtherJvm;

import java.util.ArrayList;
import java.util.List;

/**
 * The command that runs a Java program in the guest with this JVM's own JDK, class path and module options.
 */
final class JavaCommand {
    /** More options for the JVM in the guest, separated by spaces. */
    static final String OPTIONS_PROPERTY = "rdma4j.qemu.jvm";

    /** Under emulation the second compiler costs more than it gives in a run of a minute, and so do GC threads. */
    private static final List<String> FOR_EMULATION =
        List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-ea");

    /** Properties that the guest's JVM gets from this one. */
    private static final List<String> PROPERTIES = List.of("rdma4j.", "agrona.");

    private JavaCommand() {
    }

    static List<String> of(final String folder, final List<String> mainAndArguments) {
        final List<String> command = new ArrayList<>();
        command.add(OtherJvm.java());
        command.addAll(FOR_EMULATION);
        command.addAll(OtherJvm.neededOptions());
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
        command.add(OtherJvm.classPath());
        command.addAll(mainAndArguments);
        return command;
    }
}
