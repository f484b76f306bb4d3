/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static io.rdma4j.fabric.cache.Bench.RO;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.testing.Allocations;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.PinnedMemory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A hit and its release leave nothing for the garbage collector, and take no lock. */
@Timeout(60)
class HitTest {
    private static final int HITS = 100_000;
    private static final int ENTRIES = 1000;
    private static final int MANY = 100_000;
    /** Nothing is mapped there, no file either. */
    private static final long BASE = 1L << 45;

    @Test
    void aHitAllocatesNothing() {
        try (Bench bench = Bench.of("hit")) {
            fill(bench);
            final PinnedMemory pinned = bench.context.allocate(Bench.PAGE);
            final ByteBuffer slice = bench.memory.slice();
            bench.cache.acquire(bench.base + (ENTRIES + 1) * 64, 32, bench.memory, RO).release();
            bench.cache.adopt(pinned.address(), pinned.length(), pinned);
            bench.cache.acquire(pinned.address(), pinned.length(), RO).release();
            assertThat(Allocations.perStep(1, HITS / 20, () -> hit(bench, slice, pinned)))
                .as("bytes in %d hits", 3 * HITS).isLessThan(HITS / 10);
            assertThat(bench.cache.statistics().misses()).isEqualTo(ENTRIES + 2);
            bench.cache.flush();
            pinned.close();
        }
    }

    private static void fill(final Bench bench) {
        for (int i = 0; i < ENTRIES; i++) {
            bench.use(i * 64, i * 64 + 32);
        }
    }

    private static void hit(final Bench bench, final ByteBuffer slice, final PinnedMemory pinned) {
        for (int i = 0; i < HITS; i++) {
            bench.cache.acquire(bench.base + i % ENTRIES * 64, 32, RO).release();
            bench.cache.acquire(bench.base + (ENTRIES + 1) * 64 + 4, 8, slice, RO).release();
            bench.cache.acquire(pinned.address() + i % Bench.PAGE, 1, RO).release();
        }
    }

    @Test
    void aHitDoesNotWaitForTheBook() throws InterruptedException {
        try (Bench bench = Bench.ofCount("hit-lock", 2)) {
            final Entry entry = bench.use(0, 10);
            final Thread[] hitter = new Thread[1];
            synchronized (bench.cache.entries()) {
                hitter[0] = new Thread(() -> bench.use(0, 10));
                hitter[0].start();
                Patience.join(hitter[0]);
            }
            assertThat(entry.takes()).isEqualTo(1);
        }
    }

    @Test
    void aHundredThousandEntriesAreFound() {
        try (RegionCache cache = RegistrationCaches.create(NoDomain.ofStandIns(), new CacheSettings(name -> null,
            name -> null, new CacheAttributes().maxCount(1 << 20).monitor(new TestMonitor())))) {
            final Entry[] entries = new Entry[MANY];
            // In an order in which pages of the index are split everywhere.
            for (int i = 0; i < MANY; i++) {
                final int at = (int) (i * 61_681L % MANY);
                entries[at] = use(cache, BASE + at * 10L, 14);
            }
            int others = 0;
            for (int i = 0; i < MANY; i++) {
                others += use(cache, BASE + i * 10L + 4, 10) == entries[i] ? 0 : 1;
            }
            assertThat(others).as("hits of another entry").isZero();
            cache.invalidate(BASE + 1000, 500_000);
            int wrong = 0;
            for (int i = 0; i < MANY; i++) {
                final boolean gone = i * 10L + 14 > 1000 && i * 10L < 501_000;
                wrong += entries[i].isRetired() == gone && entries[i].region().isClosed() == gone ? 0 : 1;
            }
            assertThat(wrong).as("entries that are there and should not be, or the other way round").isZero();
            assertThat(cache.statistics().hits()).isEqualTo(MANY);
        }
    }

    private static Entry use(final RegionCache cache, final long address, final long length) {
        final Entry entry = (Entry) cache.acquire(address, length, RO);
        entry.release();
        return entry;
    }
}
