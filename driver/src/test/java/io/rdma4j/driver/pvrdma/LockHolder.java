/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pvrdma;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another process that has a journal open until it is killed. */
final class LockHolder {
    private LockHolder() {
    }

    /** What starts it, with the options of this JVM that its classes need. */
    static List<String> command(final Path file) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> option.startsWith("--") || option.startsWith("-XX:+IgnoreUnrecognized"))
            .forEach(command::add);
        command.addAll(List.of("-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            LockHolder.class.getName(), file.toString()));
        return command;
    }

    /**
     * Entry point.
     *
     * @param args the file.
     * @throws IOException if it cannot be opened.
     */
    public static void main(final String[] args) throws IOException {
        JournalFile.open(Path.of(args[0]), "0000:0b:00.1");
        System.out.println("locked");
        System.in.read();
    }
}
