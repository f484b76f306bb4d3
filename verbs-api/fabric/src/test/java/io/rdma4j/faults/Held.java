/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.faults;

import io.rdma4j.driver.libc.Fd;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.testing.Patience;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What this process holds that a scenario may leave behind, each thing by its name. */
final class Held {
    private static final Path SELF = Path.of("/proc/self");
    private static final long LONGEST_NANOS = Patience.nanos() / 3;
    /** They end when they have had nothing to do for long. */
    private static final Set<String> POOLED = Set.of("rdma4j-mr-cache");
    private static final String LOCKED = "VmLck:";

    private Held() {
    }

    /** Files and mappings of rdma4j, files of the process, threads, locked memory, files in the folders. */
    static List<String> now(final Path folders) {
        final List<String> held = new ArrayList<>();
        for (int i = 0; i < Fd.openCount(); i++) {
            held.add("an Fd");
        }
        for (int i = 0; i < MappedMemory.mappedCount(); i++) {
            held.add("a MappedMemory");
        }
        addFiles(held);
        addThreads(held);
        addMemory(held);
        addFolders(held, folders);
        return held;
    }

    private static void addFiles(final List<String> held) {
        try (Stream<Path> files = Files.list(SELF.resolve("fd"))) {
            files.forEach(file -> {
                try {
                    final String target = Files.readSymbolicLink(file).toString();
                    if (!target.endsWith(".jar") && !target.startsWith("/proc/") && !target.startsWith("/dev/")
                        && !target.endsWith(".class")) {
                        held.add("file " + target.replaceAll("\\d+", "N"));
                    }
                } catch (final IOException closedMeanwhile) {
                    // One that the list itself had open, for example.
                }
            });
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void addThreads(final List<String> held) {
        for (final Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread != Thread.currentThread() && thread.isAlive() && !POOLED.contains(thread.getName())) {
                held.add("thread " + thread.getName());
            }
        }
    }

    private static void addMemory(final List<String> held) {
        try {
            for (final String line : Files.readAllLines(SELF.resolve("status"))) {
                if (line.startsWith(LOCKED)) {
                    held.add(line);
                }
            }
            for (final String line : Files.readAllLines(SELF.resolve("maps"))) {
                if (line.contains("memfd:") || line.contains("/dev/shm/")) {
                    held.add("mapping of " + line.replaceAll(".* /", "/"));
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void addFolders(final List<String> held, final Path folders) {
        try (Stream<Path> all = Files.walk(folders)) {
            all.filter(Files::isRegularFile).forEach(file -> held.add("state " + folders.relativize(file)));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What there is more than before, once what ends by itself has ended, or had a third of the usual patience. */
    static List<String> more(final List<String> before, final Path folders) {
        final long begun = System.nanoTime();
        List<String> more = minus(now(folders), before);
        while (!more.isEmpty() && System.nanoTime() - begun < LONGEST_NANOS) {
            System.gc(); // Buffers of the JVM are unmapped when nobody has them.
            pause();
            more = minus(now(folders), before);
        }
        return more;
    }

    private static List<String> minus(final List<String> from, final List<String> what) {
        final List<String> rest = new ArrayList<>(from);
        what.forEach(rest::remove);
        return rest;
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(5);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
