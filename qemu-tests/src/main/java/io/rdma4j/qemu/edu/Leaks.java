/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.edu;

import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.MappedMemory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What an open device takes, and must have given back: files, mappings, pinned memory, threads. */
final class Leaks {
    private static final int GC_ROUNDS = 50;
    private static final int GC_PAUSE_MILLIS = 20;

    private String before;

    void begin() {
        before = count(GC_ROUNDS, "");
    }

    String check() {
        final String after = count(GC_ROUNDS, before);
        return Claims.require(after.equals(before), "before: " + before + "; after: " + after);
    }

    /** Mappings go with a garbage collection: counts until it is as expected, but not for ever. */
    private static String count(final int rounds, final String expected) {
        String seen = "";
        for (int i = 0; i < rounds; i++) {
            System.gc();
            final String now = count();
            if (now.equals(expected) || expected.isEmpty() && now.equals(seen)) {
                return now;
            }
            seen = now;
            pause();
        }
        return seen;
    }

    private static void pause() {
        try {
            Thread.sleep(GC_PAUSE_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String count() {
        return String.format("vfioFiles=%d fds=%d mappings=%d bytes=%d threads=%d %s", vfioFiles(), Fd.openCount(),
            MappedMemory.mappedCount(), MappedMemory.mappedBytes(), threads(), pinned());
    }

    private static long vfioFiles() {
        try (Stream<Path> fds = Files.list(Path.of("/proc/self/fd"))) {
            return fds.filter(fd -> target(fd).contains("vfio")).count();
        } catch (final IOException e) {
            return -1;
        }
    }

    private static String target(final Path fd) {
        try {
            return Files.readSymbolicLink(fd).toString();
        } catch (final IOException closedMeanwhile) {
            return "";
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().startsWith("rdma4j-vfio")).count();
    }

    private static String pinned() {
        try {
            return String.join(" ", Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmLck") || line.startsWith("VmPin"))
                .map(line -> line.replaceAll("\\s+", "")).toList());
        } catch (final IOException e) {
            return e.toString();
        }
    }
}
