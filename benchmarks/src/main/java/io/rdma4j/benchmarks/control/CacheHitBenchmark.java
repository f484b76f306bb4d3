/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.control;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.MemoryMonitor;
import io.rdma4j.fabric.cache.RegionCache;
import io.rdma4j.fabric.cache.RegistrationCaches;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.ProtectionDomain;
import java.lang.reflect.Proxy;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A hit of the registration cache and its release. The regions are stand-ins: a hit does not touch them, and to
 * register a hundred thousand takes long.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CacheHitBenchmark {
    private static final long BASE = 1L << 32;
    private static final int STEP = 8192;
    private static final int LENGTH = 4096;
    private static final int ORDER = 1 << 16;
    /** A prime: the order in which entries come. */
    private static final long SCATTER = 61_681;

    /** How many there are to look among. */
    @Param({"1000", "10000", "100000"})
    private int entries;

    private RegionCache cache;
    private final long[] addresses = new long[ORDER];
    private int next;

    /** For JMH. */
    public CacheHitBenchmark() {
        // Set up below.
    }

    /** Watches all, and nothing changes. */
    private static final class Calm implements MemoryMonitor {
        private volatile boolean quiet = true;

        @Override
        public String name() {
            return "calm";
        }

        @Override
        public void start(final Listener listener) {
            quiet = true;
        }

        @Override
        public void stop(final Listener listener) {
            quiet = false;
        }

        @Override
        public boolean subscribe(final long address, final long length) {
            return true;
        }

        @Override
        public void unsubscribe(final long address, final long length) {
            // Nothing was kept.
        }

        @Override
        public boolean quiet() {
            return quiet;
        }
    }

    /**
     * Fills the cache in no order of addresses, with as many hits as misses: a long fill of misses alone, in order,
     * teaches the compiler branches that hits do not take, and the first millions of hits pay for unlearning that.
     */
    @Setup
    public void fill() {
        cache = RegistrationCaches.create(standIns(), new CacheAttributes().maxCount(1 << 20).monitor(new Calm()));
        for (int i = 0; i < entries; i++) {
            final long address = BASE + i * SCATTER % entries * STEP;
            cache.acquire(address, LENGTH, 0).release();
            cache.acquire(address, LENGTH, 0).release();
        }
        final SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < ORDER; i++) {
            addresses[i] = BASE + (long) random.nextInt(entries) * STEP + random.nextInt(LENGTH - 64);
        }
    }

    private static ProtectionDomain standIns() {
        final ClassLoader loader = CacheHitBenchmark.class.getClassLoader();
        final MemoryRegion region = (MemoryRegion) Proxy.newProxyInstance(loader, new Class<?>[] {MemoryRegion.class},
            (proxy, method, arguments) -> method.getReturnType() == int.class ? (Object) 1
                : method.getReturnType() == long.class ? (Object) 0L : null);
        return (ProtectionDomain) Proxy.newProxyInstance(loader, new Class<?>[] {ProtectionDomain.class},
            (proxy, method, arguments) -> method.getName().equals("register") ? region : "stand-ins");
    }

    /** Closes the cache. */
    @TearDown
    public void close() {
        cache.close();
    }

    /**
     * Any of the entries.
     *
     * @return its key
     */
    @Benchmark
    public int hitAny() {
        final var region = cache.acquire(addresses[next++ & ORDER - 1], 64, 0);
        final int lkey = region.lkey();
        region.release();
        return lkey;
    }

    /**
     * The same memory each time.
     *
     * @return its key
     */
    @Benchmark
    public int hitSame() {
        final var region = cache.acquire(addresses[0], 64, 0);
        final int lkey = region.lkey();
        region.release();
        return lkey;
    }
}
