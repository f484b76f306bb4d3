/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.testing;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * What this process holds, as the kernel counts it.
 *
 * @param threads  its threads.
 * @param files    its open files.
 * @param mappings parts of its address space.
 * @param heap     bytes of live objects; garbage too, if nobody has collected it.
 */
record ProcessState(int threads, int files, int mappings, long heap) {
    private static final Path SELF = Path.of("/proc/self");
    /** The JVM's own come and go: compilers, collectors, parts of the heap. */
    private static final int SOME_THREADS = 16;
    private static final int SOME_FILES = 16;
    private static final int SOME_MAPPINGS = 200;
    private static final long SOME_HEAP = 48L << 20;
    private static final int LOOKS = 50;
    private static final long BETWEEN_MILLIS = 100;

    static ProcessState now() {
        return new ProcessState(count("task"), count("fd"), lines(),
            ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }

    /** Once what the collector gives back is given back: no more than before, or after five seconds. */
    static ProcessState settled(final ProcessState before) {
        System.gc();
        ProcessState state = now();
        for (int i = 0; i < LOOKS && before != null && state.exceeds(before); i++) {
            pause();
            System.gc();
            state = now();
        }
        return state;
    }

    /** Whether it is more than can be explained by the JVM itself. */
    boolean exceeds(final ProcessState before) {
        return threads > before.threads + SOME_THREADS || files > before.files + SOME_FILES
            || mappings > before.mappings + SOME_MAPPINGS || heap > before.heap + SOME_HEAP;
    }

    /** With what whoever runs the tests keeps of each. */
    ProcessState plusHeap(final long bytes) {
        return new ProcessState(threads, files, mappings, heap + bytes);
    }

    private static int count(final String folder) {
        final File[] entries = SELF.resolve(folder).toFile().listFiles();
        return entries == null ? 0 : entries.length;
    }

    private static int lines() {
        try (Stream<String> lines = Files.lines(SELF.resolve("maps"))) {
            return (int) lines.count();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(BETWEEN_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
