/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.control;

import io.rdma4j.benchmarks.harness.Arguments;
import io.rdma4j.benchmarks.harness.Machine;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.RegistrationCache;
import io.rdma4j.fabric.cache.RegionCache;
import io.rdma4j.fabric.cache.RegistrationCaches;
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
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.agrona.BufferUtil;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Measures the registration cache: hits by JMH; misses beside the bare registration of the same memory, cold
 * registration beside a hit, and several threads that register in one domain, on the emulated device with pinning.
 */
public final class CacheReport {
    private static final String USAGE = "usage: CacheReport [--quick] [--doc FILE]";
    private static final String OPENS = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";
    private static final int[] SIZES = {4 << 10, 64 << 10, 1 << 20, 64 << 20};
    private static final int WRITE = AccessFlag.LOCAL_WRITE.bit();
    private static final int PIECE = 64 << 10;
    private static final long DEADLINE_MINUTES = 5;

    private final boolean quick;
    private final List<String> lines = new ArrayList<>();

    private CacheReport(final boolean quick) {
        this.quick = quick;
    }

    /**
     * Prints the tables, and writes them into a document if one is named.
     *
     * @param args see the usage message
     * @throws Exception if something fails
     */
    public static void main(final String[] args) throws Exception {
        final Arguments arguments = Arguments.parse(args, USAGE);
        final List<String> table = new CacheReport(arguments.quick()).run();
        table.forEach(System.out::println);
        arguments.writeDocument("cache", table);
    }

    private List<String> run() throws Exception {
        hits();
        try (RdmaContext context = RdmaDevices.open("emulated:cache?mlock=true");
            ProtectionDomain pd = context.allocatePd()) {
            misses(pd);
            threads(pd);
        }
        lines.addAll(Machine.describe());
        return lines;
    }

    private void hits() throws RunnerException {
        lines.add("| entries | hit, any, and release: median ns ±, best | the same one each time |");
        lines.add("|--:|--:|--:|");
        final List<RunResult> results = new ArrayList<>(new Runner(new OptionsBuilder()
            .include("\\.CacheHitBenchmark\\.").forks(quick ? 1 : 3)
            .warmupIterations(quick ? 3 : 5).warmupTime(TimeValue.milliseconds(300))
            .measurementIterations(quick ? 4 : 8).measurementTime(TimeValue.milliseconds(300))
            .jvmArgs(OPENS).shouldFailOnError(true).output("benchmarks/target/jmh-cache.log").build()).run());
        for (final String entries : new String[] {"1000", "10000", "100000"}) {
            lines.add(String.format(Locale.ROOT, "| %,d | %s | %s |", Integer.parseInt(entries),
                score(results, "hitAny", entries), score(results, "hitSame", entries)));
        }
        lines.add("");
    }

    private static String score(final List<RunResult> results, final String name, final String entries) {
        return results.stream().filter(result -> result.getPrimaryResult().getLabel().equals(name)
            && result.getParams().getParam("entries").equals(entries)).map(CacheReport::score).findFirst()
            .orElseThrow();
    }

    private static String score(final RunResult result) {
        final var all = result.getPrimaryResult().getStatistics();
        return String.format(Locale.ROOT, "%.1f ± %.1f, %.1f", all.getPercentile(50),
            (all.getPercentile(75) - all.getPercentile(25)) / 2, all.getMin());
    }

    private void misses(final ProtectionDomain pd) {
        lines.add("| memory | bare, by address µs | bare, of a buffer µs | miss µs | evicting miss µs | hit ns |");
        lines.add("|--:|--:|--:|--:|--:|--:|");
        for (final int size : SIZES) {
            final ByteBuffer memory = ByteBuffer.allocateDirect(size);
            for (int at = 0; at < size; at += 4096) {
                memory.put(at, (byte) 1);
            }
            miss(pd, memory, 200);
            lines.add(miss(pd, memory, quick ? 101 : 501));
        }
        lines.add("");
    }

    private static String miss(final ProtectionDomain pd, final ByteBuffer memory, final int turns) {
        final int size = memory.capacity();
        final int times = size >= 64 << 20 ? Math.min(turns, 51) : turns;
        final long address = BufferUtil.address(memory);
        final long[][] nanos = new long[5][times];
        try (RegionCache cache = RegistrationCaches.create(pd, new CacheAttributes());
            RegionCache one = RegistrationCaches.create(pd, new CacheAttributes().maxCount(1))) {
            final ByteBuffer other = ByteBuffer.allocateDirect(4096);
            for (int i = 0; i < times; i++) {
                nanos[0][i] = bare(() -> pd.register(address, size, AccessFlag.LOCAL_WRITE));
                nanos[1][i] = bare(() -> pd.register(memory, AccessFlag.LOCAL_WRITE));
                nanos[2][i] = acquire(cache, memory);
                nanos[4][i] = acquire(cache, memory);
                cache.flush();
                acquire(one, other);
                nanos[3][i] = acquire(one, memory);
                one.flush();
            }
        }
        Arrays.stream(nanos).forEach(Arrays::sort);
        return String.format(Locale.ROOT, "| %,d KiB | %.1f | %.1f | %.1f | %.1f | %d |", size >> 10,
            nanos[0][times / 2] / 1e3, nanos[1][times / 2] / 1e3, nanos[2][times / 2] / 1e3, nanos[3][times / 2] / 1e3,
            nanos[4][times / 2]);
    }

    /** What registers. */
    private interface Registers {
        MemoryRegion now();
    }

    private static long bare(final Registers how) {
        final long before = System.nanoTime();
        final MemoryRegion region = how.now();
        final long took = System.nanoTime() - before;
        region.close();
        return took;
    }

    private static long acquire(final RegistrationCache cache, final ByteBuffer memory) {
        final long before = System.nanoTime();
        cache.acquire(BufferUtil.address(memory), memory.capacity(), memory, WRITE).release();
        return System.nanoTime() - before;
    }

    private void threads(final ProtectionDomain pd) throws Exception {
        lines.add("| threads | registrations and closings of 64 KiB/s, bare | misses and invalidations/s |");
        lines.add("|--:|--:|--:|");
        for (final int threads : new int[] {1, 2, 4}) {
            try (RegionCache cache = RegistrationCaches.create(pd, new CacheAttributes())) {
                final Work bare = memory -> pd.register(BufferUtil.address(memory), PIECE, AccessFlag.LOCAL_WRITE)
                    .close();
                final Work cached = memory -> {
                    cache.acquire(BufferUtil.address(memory), PIECE, memory, WRITE).release();
                    cache.invalidate(BufferUtil.address(memory), PIECE);
                };
                rate(threads, bare);
                rate(threads, cached);
                lines.add(String.format(Locale.ROOT, "| %d | %,.0f | %,.0f |", threads, rate(threads, bare),
                    rate(threads, cached)));
            }
        }
    }

    /** What each of the threads does, with memory of its own. */
    private interface Work {
        void run(ByteBuffer memory);
    }

    private double rate(final int threads, final Work work) throws Exception {
        final ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            final CyclicBarrier start = new CyclicBarrier(threads + 1);
            final int turns = quick ? 1_000 : 10_000;
            final List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                ends.add(executor.submit(() -> {
                    final ByteBuffer memory = ByteBuffer.allocateDirect(PIECE);
                    start.await(DEADLINE_MINUTES, TimeUnit.MINUTES);
                    for (int turn = 0; turn < turns; turn++) {
                        work.run(memory);
                    }
                    return null;
                }));
            }
            start.await(DEADLINE_MINUTES, TimeUnit.MINUTES);
            final long before = System.nanoTime();
            for (final Future<?> end : ends) {
                end.get(DEADLINE_MINUTES, TimeUnit.MINUTES);
            }
            return 1e9 * threads * turns / (System.nanoTime() - before);
        } finally {
            executor.shutdownNow();
        }
    }
}
