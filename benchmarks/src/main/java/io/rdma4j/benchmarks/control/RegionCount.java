/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.control;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Measures whether registering and closing take longer when there are many regions. They overlap at random within one
 * piece of memory, so that each page is in many of them; while a number of them is there, one at random is closed and
 * another one registered, again and again.
 */
public final class RegionCount {
    private static final String USAGE = "usage: RegionCount [--quick] [--doc FILE]";
    private static final int[] COUNTS = {10, 100, 1_000, 10_000};
    private static final int MEMORY = 64 << 20;
    private static final int MAX_LENGTH = 256 << 10;
    private static final int WARM_UP = 20_000;
    private static final int SEED = 4;

    private final int turns;
    private final Random random = new Random(SEED);
    private final ByteBuffer memory = ByteBuffer.allocateDirect(MEMORY);

    private RegionCount(final boolean quick) {
        turns = quick ? 10_000 : 50_000;
        for (int i = 0; i < MEMORY; i += 1 << 12) {
            memory.put(i, (byte) 1);
        }
    }

    /**
     * Prints the table, and writes it into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if memory cannot be had, or locked
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final List<String> table = new RegionCount(arguments.quick()).run();
        table.forEach(System.out::println);
        arguments.writeDocument("regioncount", table);
    }

    private List<String> run() {
        final List<String> lines = new ArrayList<>();
        lines.add("| regions | pages pinned | register µs | p99 | close µs | p99 | close all, µs each | mean |");
        lines.add("|--:|---|--:|--:|--:|--:|--:|--:|");
        for (final boolean locked : new boolean[] {false, true}) {
            try (RdmaContext context = RdmaDevices.open("emulated:regions?max_mr=16384&mlock=" + locked);
                ProtectionDomain pd = context.allocatePd()) {
                new Crowd(pd, COUNTS[1]).turn(WARM_UP).closeAll();
                for (final int count : COUNTS) {
                    lines.add(row(new Crowd(pd, count), locked));
                }
            }
        }
        lines.add("");
        lines.add(String.format(Locale.ROOT, "Medians of %,d turns; regions of 1 byte to %d KiB at random places in %d "
            + "MiB.", turns, MAX_LENGTH >> 10, MEMORY >> 20));
        lines.addAll(Machine.describe());
        return lines;
    }

    private String row(final Crowd crowd, final boolean locked) {
        crowd.turn(turns / 2);
        crowd.turn(turns);
        final String turning = String.format(Locale.ROOT, "| %,d | %s | %.1f | %.1f | %.1f | %.1f ",
            crowd.regions.length, locked ? "by `mlock`" : "no", crowd.registered(50), crowd.registered(99),
            crowd.closed(50), crowd.closed(99));
        crowd.closeAll();
        return turning + String.format(Locale.ROOT, "| %.1f | %.1f |", crowd.closed(50), crowd.meanClosed());
    }

    /** So many regions, and how long it took to register and close them. */
    private final class Crowd {
        private final ProtectionDomain pd;
        private final MemoryRegion[] regions;
        private long[] registerNanos = {};
        private long[] closeNanos = {};

        Crowd(final ProtectionDomain pd, final int count) {
            this.pd = pd;
            regions = new MemoryRegion[count];
            Arrays.setAll(regions, i -> register());
        }

        private MemoryRegion register() {
            final ByteBuffer part = part();
            return pd.register(part, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
        }

        private ByteBuffer part() {
            final int length = 1 + random.nextInt(MAX_LENGTH);
            final int from = random.nextInt(MEMORY - length);
            return memory.duplicate().limit(from + length).position(from).slice();
        }

        Crowd turn(final int times) {
            registerNanos = new long[times];
            closeNanos = new long[times];
            for (int i = 0; i < times; i++) {
                final int which = random.nextInt(regions.length);
                final ByteBuffer part = part();
                final long began = System.nanoTime();
                regions[which].close();
                final long between = System.nanoTime();
                regions[which] = pd.register(part, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
                registerNanos[i] = System.nanoTime() - between;
                closeNanos[i] = between - began;
            }
            Arrays.sort(registerNanos);
            Arrays.sort(closeNanos);
            return this;
        }

        /** In random order. */
        void closeAll() {
            for (int i = regions.length - 1; i > 0; i--) {
                final int other = random.nextInt(i + 1);
                final MemoryRegion region = regions[i];
                regions[i] = regions[other];
                regions[other] = region;
            }
            closeNanos = new long[regions.length];
            for (int i = 0; i < regions.length; i++) {
                final long began = System.nanoTime();
                regions[i].close();
                closeNanos[i] = System.nanoTime() - began;
            }
            Arrays.sort(closeNanos);
        }

        double meanClosed() {
            return Arrays.stream(closeNanos).average().orElse(0) / 1e3;
        }

        double registered(final int percent) {
            return micros(registerNanos, percent);
        }

        double closed(final int percent) {
            return micros(closeNanos, percent);
        }

        private static double micros(final long[] sorted, final int percent) {
            return sorted[(int) ((long) (sorted.length - 1) * percent / 100)] / 1e3;
        }
    }
}
