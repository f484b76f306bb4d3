/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static io.rdma4j.driver.libc.LibcConstants.MAP_ANONYMOUS;
import static io.rdma4j.driver.libc.LibcConstants.MAP_PRIVATE;
import static io.rdma4j.driver.libc.LibcConstants.PROT_READ;
import static io.rdma4j.driver.libc.LibcConstants.PROT_WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.driver.libc.Libc;
import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;
import io.rdma4j.verbs.ProtectionDomain;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.RdmaDevices;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * One thread unmaps memory that is in the cache. While it is still inside of munmap others map memory at the same
 * address, and look it up at once: what they get must not be the region of the old pages. With
 * {@link CacheAttributes#strict} off they do get it, which is what makes this test fail.
 */
@Timeout(120)
class AddressHandedOnTest {
    private static final Duration TIME = TestBudget.time(Duration.ofMillis(500),
        Duration.ofSeconds(Long.getLong("rdma4j.stale.seconds", 3)));
    /** Takers may be without a processor whenever there is something to take: it goes on until they had some. */
    private static final Duration LONGEST = TIME.plusSeconds(50);
    private static final int ENOUGH = 10;
    private static final int LENGTH = 16 * Bench.PAGE;
    private static final int TAKERS = 2;
    private static final int THREADS = 4;
    private static final long NONE = 0;

    private final AtomicLong lookups = new AtomicLong();
    private final AtomicLong stale = new AtomicLong();
    private final AtomicLong mappings = new AtomicLong();
    /** For which mapping an entry was given out first; entries are compared by identity. */
    private final Map<Entry, Long> firstUse = new ConcurrentHashMap<>();
    /** Of the round: what is unmapped, or 0. */
    private volatile long address;
    private volatile Entry old;
    private volatile boolean isOver;

    @BeforeEach
    void userfaultfdIsThere() {
        assumeTrue(UserfaultMonitor.isAvailable(), "no userfaultfd here: memory without an owner is never kept");
    }

    /** What runs with the cache, and threads. */
    private interface Work {
        void run(RegionCache cache, ExecutorService executor) throws Exception;
    }

    @Test
    void whoGetsTheAddressDoesNotGetTheRegion() throws Exception {
        test("emulated:handed-on", this::oneUnmapsAndOthersMap);
    }

    @Test
    void threadsThatUseOnlyWhatTheyMappedThemselvesGetNoRegionsOfOthers() throws Exception {
        test("emulated:handed-round", this::eachMapsAndUnmaps);
    }

    private void test(final String device, final Work work) throws Exception {
        try (RdmaContext context = RdmaDevices.open(device);
            ProtectionDomain pd = context.allocatePd();
            RegionCache cache = new RegionCache(pd, new CacheSettings(name -> null, name -> null,
                new CacheAttributes().monitor("userfaultfd")), new Adoptions(), () -> false)) {
            final ExecutorService executor = Executors.newFixedThreadPool(THREADS);
            try {
                work.run(cache, executor);
            } finally {
                isOver = true;
                executor.shutdownNow();
            }
            assertThat(lookups).as("lookups at addresses that were just mapped: %s", cache).hasPositiveValue();
            assertThat(stale).as("got the region of pages that are gone, of %s lookups: %s", lookups, cache)
                .hasValue(0);
        }
    }

    private void eachMapsAndUnmaps(final RegionCache cache, final ExecutorService executor) throws Exception {
        final List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            all.add(executor.submit(() -> useOwn(cache)));
        }
        for (final Future<?> one : all) {
            Patience.get(one);
        }
    }

    private void useOwn(final RegionCache cache) {
        final long end = System.nanoTime() + TIME.toNanos();
        while (System.nanoTime() - end < 0 || lookups.get() == 0) {
            final Long mapping = mappings.incrementAndGet();
            final long mapped = map(0);
            for (int i = 0; i < 2; i++) {
                final Entry entry = (Entry) cache.acquire(mapped, LENGTH, 0);
                // All ranges have one length: an entry that covers one of them is of that one and no other.
                final Long first = firstUse.putIfAbsent(entry, mapping);
                lookups.incrementAndGet();
                if (first != null && !first.equals(mapping)) {
                    stale.incrementAndGet();
                }
                entry.release();
            }
            Libc.munmap(mapped, LENGTH);
        }
    }

    private void oneUnmapsAndOthersMap(final RegionCache cache, final ExecutorService executor) throws Exception {
        final List<Future<?>> takers = new ArrayList<>();
        for (int i = 0; i < TAKERS; i++) {
            takers.add(executor.submit(() -> take(cache)));
        }
        final long start = System.nanoTime();
        while (System.nanoTime() - start < (lookups.get() < ENOUGH ? LONGEST : TIME).toNanos()) {
            handOn(cache);
        }
        isOver = true;
        for (final Future<?> taker : takers) {
            Patience.get(taker);
        }
    }

    private void handOn(final RegionCache cache) {
        final long mapped = map(0);
        final Entry entry = (Entry) cache.acquire(mapped, LENGTH, 0);
        entry.release();
        old = entry;
        address = mapped;
        Libc.munmap(mapped, LENGTH);
        // A taker may have seen the address and not have tried yet.
        final long until = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(50);
        while (System.nanoTime() - until < 0) {
            Thread.yield();
        }
        address = NONE;
    }

    private void take(final RegionCache cache) {
        while (!isOver) {
            final long wanted = address;
            final Entry gone = old;
            if (wanted == NONE) {
                Thread.yield();
                continue;
            }
            // A hint: the kernel gives this address if it is free, and else another one.
            final long got = map(wanted);
            if (got == wanted && address == wanted && old == gone) {
                lookUp(cache, got, gone);
            }
            Libc.munmap(got, LENGTH);
        }
    }

    private void lookUp(final RegionCache cache, final long got, final Entry gone) {
        final Entry entry = (Entry) cache.acquire(got, LENGTH, 0);
        lookups.incrementAndGet();
        if (entry == gone) {
            stale.incrementAndGet();
        }
        entry.release();
    }

    private static long map(final long hint) {
        return Libc.mmap(hint, LENGTH, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
}
