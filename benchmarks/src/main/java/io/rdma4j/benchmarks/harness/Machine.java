/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Where numbers were measured, and where they are written. */
public final class Machine {
    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

    private Machine() {
    }

    /**
     * Processor and JDK.
     *
     * @return the last lines of a section
     */
    public static List<String> describe() {
        return List.of("", "Machine: " + cpu() + ", " + Runtime.getRuntime().availableProcessors() + " cores, "
            + System.getProperty("os.name") + ". JDK: " + System.getProperty("java.vm.name") + " "
            + System.getProperty("java.vm.version") + ".");
    }

    private static String cpu() {
        try {
            return Files.readAllLines(CPU_INFO).stream().filter(line -> line.startsWith("model name")).findFirst()
                .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse(System.getProperty("os.arch"));
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot read " + CPU_INFO, e);
        }
    }

    /** Replaces what is between the markers of a section. */
    static void writeSection(final Path document, final String section, final List<String> lines) throws IOException {
        final String begin = "<!-- " + section + ":begin -->";
        final String end = "<!-- " + section + ":end -->";
        final List<String> old = Files.readAllLines(document);
        final int from = old.indexOf(begin);
        final int to = old.indexOf(end);
        if (from < 0 || to < from) {
            throw new IOException(document + " lacks the lines " + begin + " and " + end + ", in this order");
        }
        final List<String> updated = new ArrayList<>(old.subList(0, from + 1));
        updated.addAll(lines);
        updated.addAll(old.subList(to, old.size()));
        Files.write(document, updated);
    }
}
