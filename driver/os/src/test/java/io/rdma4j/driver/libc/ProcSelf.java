/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.libc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What the kernel says about this process; without any test library, as {@link ChildJvm} has none. */
final class ProcSelf {
    private ProcSelf() {
    }

    /** How many of the open files are called something like this. */
    static long openFiles(final String part) throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(file -> target(file).contains(part)).count();
        }
    }

    private static String target(final Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (final IOException e) {
            return ""; // Closed meanwhile.
        }
    }

    /** The flags that a file was opened with. */
    static int flags(final int fd) throws IOException {
        return Integer.parseInt(field(Path.of("/proc/self/fdinfo/" + fd), "flags:"), 8);
    }

    /** Kilobytes and other numbers of /proc/self/status. */
    static long status(final String name) throws IOException {
        return Long.parseLong(field(Path.of("/proc/self/status"), name + ":").split("\\s+")[0]);
    }

    static long signalsCaught() throws IOException {
        return Long.parseUnsignedLong(field(Path.of("/proc/self/status"), "SigCgt:"), 16);
    }

    static String field(final Path file, final String name) throws IOException {
        return Files.readAllLines(file).stream().filter(line -> line.startsWith(name)).findFirst()
            .orElseThrow(() -> new AssertionError(file + " has no " + name)).substring(name.length()).trim();
    }

    static boolean isMapped(final long address) throws IOException {
        for (final String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
            final String[] bounds = line.split(" ")[0].split("-");
            if (address >= Long.parseUnsignedLong(bounds[0], 16) && address < Long.parseUnsignedLong(bounds[1], 16)) {
                return true;
            }
        }
        return false;
    }
}
