/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import io.rdma4j.tools.plot.SamplesPage;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

import org.HdrHistogram.Histogram;

/** The file of what was seen at intervals, and the page that is drawn of it. */
final class SampleFile implements AutoCloseable {
    private static final double NANOS_OF_MICRO = 1000;
    private static final double MIB = 1 << 20;
    private static final int KIB = 1024;

    private final Path file;
    private final PrintWriter out;

    /** In a folder that is made if it is not there. */
    SampleFile(final Path folder, final String name) throws IOException {
        Files.createDirectories(folder);
        file = folder.resolve(name + ".tsv");
        out = new PrintWriter(Files.newBufferedWriter(file, StandardCharsets.UTF_8), true);
        out.println(String.join("\t", "seconds", "Time of a WRITE of 64 bytes, us/p50",
            "Time of a WRITE of 64 bytes, us/p99", "Time of a WRITE of 64 bytes, us/p99.9",
            "Memory, MiB/resident", "Memory, MiB/outside of the Java heap", "Memory, MiB/live Java objects",
            "Open files and threads/files", "Open files and threads/threads",
            "Mappings/of the process", "Mappings/of the driver", "Objects of the device",
            "Pinned memory, KiB", "Steps", "Peers killed"));
    }

    /** A line. */
    void add(final double seconds, final Histogram probe, final Holding now, final long steps, final long kills) {
        out.printf(Locale.ROOT, "%.2f\t%.3f\t%.3f\t%.3f\t%.2f\t%.2f\t%.2f\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d%n", seconds,
            micros(probe, 50), micros(probe, 99), micros(probe, 99.9), now.residentBytes() / MIB,
            now.nativeBytes() / MIB, now.heapBytes() / MIB, now.files(), now.threads(), now.allMappings(),
            now.mappings(), now.objects(), now.pinned() / KIB, steps, kills);
    }

    /** Something for people. */
    void remark(final String text) {
        out.println("# " + text);
    }

    static double micros(final Histogram times, final double percentile) {
        return times.getValueAtPercentile(percentile) / NANOS_OF_MICRO;
    }

    /** Draws it. */
    @Override
    public void close() {
        out.close();
        SamplesPage.write(Path.of(file.toString().replaceAll("tsv$", "html")), List.of(file));
    }
}
