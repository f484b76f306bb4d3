/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import io.rdma4j.driver.dma.DmaArena;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.verbs.RdmaContext;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.sun.jna.Function;

import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What the process and its device hold at a moment.
 *
 * @param heapBytes   live Java objects: after a collection.
 * @param nativeBytes resident memory outside of the Java heap.
 * @param residentBytes resident memory in all.
 * @param files       open ones, but for those of class files.
 * @param threads     of Java, but for one that watches the ends of processes and goes by itself.
 * @param mappings    that the driver made and has not unmapped.
 * @param allMappings of the process, the JVM's too.
 * @param objects     of the device.
 * @param pinned      bytes that the device reaches.
 */
record Holding(
    long heapBytes, long nativeBytes, long residentBytes, int files, int threads, int mappings, int allMappings,
    long objects, long pinned) {
    private static final Path SELF = Path.of("/proc/self");
    private static final Pattern OBJECTS = Pattern.compile("[A-Z]+ (\\d+)/\\d+");
    private static final Pattern RANGE = Pattern.compile("\\[0x([0-9a-f]+), (?:0x[0-9a-f]+, )*0x([0-9a-f]+)\\)");
    private static final Pattern AREA = Pattern.compile("([0-9a-f]+)-([0-9a-f]+) .*");
    private static final Function TRIM = Function.getFunction("c", "malloc_trim");
    private static final long KIB = 1024;
    /** The driver cuts its rings out of these; a ring that stays keeps all of one. */
    private static final long CHUNK = DmaArena.CHUNK_PAGES * 4 * KIB;
    private static final int CHUNKS = 2;
    /** From one moment of rest to the next there are 21 to 25: which blocks lie in memory of their own is chance. */
    private static final int MAPPINGS = 8;

    static Holding of(final RdmaContext context) {
        collect();
        final long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        final long[] resident = resident();
        return new Holding(heap, resident[0], resident[1], openFiles(), javaThreads(), MappedMemory.mappedCount(),
            (int) resident[2], objects(context), context.reachableBytes());
    }

    /** Gives back what nobody uses: objects, and what malloc keeps of memory that was freed. */
    static void collect() {
        System.gc();
        TRIM.invokeInt(new Object[] {0L});
    }

    /** Outside of the heap, in all, and of how many areas. */
    private static long[] resident() {
        final long[] heap = heap();
        final long[] sums = new long[3];
        boolean outside = true;
        for (final String line : lines("smaps")) {
            final Matcher area = AREA.matcher(line);
            if (area.matches()) {
                final long from = Long.parseUnsignedLong(area.group(1), 16);
                outside = Long.compareUnsigned(from, heap[0]) < 0 || Long.compareUnsigned(from, heap[1]) >= 0;
                sums[2]++;
            } else if (line.startsWith("Rss:")) {
                final long bytes = KIB * Long.parseLong(line.replaceAll("\\D", ""));
                sums[0] += outside ? bytes : 0;
                sums[1] += bytes;
            }
        }
        return sums;
    }

    private static List<String> lines(final String file) {
        try {
            return Files.readAllLines(SELF.resolve(file));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the Java heap lies, whatever collector there is. */
    private static long[] heap() {
        try {
            final String text = (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcHeapInfo", null, null);
            final long[] ends = {-1, 0};
            final Matcher range = RANGE.matcher(text.lines().filter(line -> !line.contains("Metaspace")
                && !line.contains("class space")).reduce("", (a, b) -> a + '\n' + b).toLowerCase(Locale.ROOT));
            while (range.find()) {
                final long from = Long.parseUnsignedLong(range.group(1), 16);
                final long to = Long.parseUnsignedLong(range.group(2), 16);
                ends[0] = Long.compareUnsigned(from, ends[0]) < 0 ? from : ends[0];
                ends[1] = Long.compareUnsigned(to, ends[1]) > 0 ? to : ends[1];
            }
            return ends;
        } catch (final JMException e) {
            throw new AssertionError(e);
        }
    }

    private static int openFiles() {
        try (Stream<Path> all = Files.list(SELF.resolve("fd"))) {
            return (int) all.filter(Holding::counts).count();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Not the folder that is being looked at, nor jars, which stay open once a class of theirs was needed. */
    private static boolean counts(final Path file) {
        try {
            final String to = Files.readSymbolicLink(file).toString();
            return !to.endsWith(".jar") && !to.endsWith("/fd") && !to.endsWith("/modules");
        } catch (final IOException gone) {
            return false;
        }
    }

    private static int javaThreads() {
        return (int) Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> !thread.getName().startsWith("process reaper")).count();
    }

    private static long objects(final RdmaContext context) {
        final String line = context.dump().lines().filter(each -> each.startsWith("objects: ")).findFirst()
            .orElseThrow();
        final Matcher matcher = OBJECTS.matcher(line);
        long sum = 0;
        while (matcher.find()) {
            sum += Long.parseLong(matcher.group(1));
        }
        return sum;
    }

    /**
     * Whether nothing is left that is counted one by one; rings that stay may lie in some chunks more.
     *
     * @param devices of this process.
     */
    boolean isLike(final Holding before, final int devices) {
        return files <= before.files && threads <= before.threads && mappings <= before.mappings + devices * MAPPINGS
            && objects <= before.objects && pinned <= before.pinned + CHUNKS * CHUNK;
    }
}
