/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.driver.state.StateFolder;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What tells processes apart, also those that had the same number: from {@code /proc}, see proc(5). */
final class LiveProcess {
    /** No process. */
    static final long NONE = -1;
    /** This one. */
    static final long PID = ProcessHandle.current().pid();

    private static final Path PROC = Path.of("/proc");
    /** Field 22, of which the first two, number and name, are cut off. */
    private static final int START_FIELD = 22 - 3;

    private LiveProcess() {
    }

    /** Read once: they do not change. */
    private static final class Own {
        static final long START = startTicks(PID);
        static final long NAMESPACE = readNamespace();
        static final String BOOT_ID = readBootId();

        private Own() {
        }
    }

    static long ownStart() {
        return Own.START;
    }

    /** The inode of the namespace in which numbers of processes mean something; 0 if it cannot be told. */
    static long ownNamespace() {
        return Own.NAMESPACE;
    }

    static String bootId() {
        return Own.BOOT_ID;
    }

    /** When a process began, in ticks since the machine did; {@link #NONE} if there is no such process, or a dead. */
    static long startTicks(final long pid) {
        try {
            final String stat = new String(Files.readAllBytes(of(pid, "stat")), StandardCharsets.ISO_8859_1);
            final String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return "ZX".contains(fields[0]) ? NONE : Long.parseLong(fields[START_FIELD]);
        } catch (final IOException | IndexOutOfBoundsException | NumberFormatException e) {
            return NONE;
        }
    }

    /** The effective user of a process; {@link #NONE} if there is no such process. */
    static long user(final long pid) {
        try {
            return StateFolder.userId(pid);
        } catch (final IOException e) {
            return NONE;
        }
    }

    /** When the machine began to run, milliseconds since 1970; 0 if it cannot be told. */
    static long bootMillis() {
        try {
            final String[] uptime = Files.readString(PROC.resolve("uptime")).split(" ");
            return System.currentTimeMillis() - (long) (Double.parseDouble(uptime[0]) * TimeUnit.SECONDS.toMillis(1));
        } catch (final IOException | NumberFormatException e) {
            return 0;
        }
    }

    /** Whether a process has a file open whose name begins so; false if that cannot be told. */
    static boolean hasOpen(final long pid, final String beginning) {
        try (Stream<Path> files = Files.list(of(pid, "fd"))) {
            return files.anyMatch(file -> target(file).startsWith(beginning));
        } catch (final IOException | UncheckedIOException e) {
            return false;
        }
    }

    private static String target(final Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (final IOException e) {
            // It was closed since the folder was listed.
            return "";
        }
    }

    static Path of(final long pid, final String file) {
        return PROC.resolve(Long.toString(pid)).resolve(file);
    }

    private static long readNamespace() {
        try {
            final String link = Files.readSymbolicLink(PROC.resolve("self/ns/pid")).toString();
            return Long.parseLong(link.replaceAll("\\D", ""));
        } catch (final IOException | NumberFormatException e) {
            return 0;
        }
    }

    private static String readBootId() {
        try {
            return Files.readString(PROC.resolve("sys/kernel/random/boot_id")).trim();
        } catch (final IOException e) {
            return "";
        }
    }
}
