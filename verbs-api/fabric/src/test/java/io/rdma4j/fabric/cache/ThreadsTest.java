/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static io.rdma4j.fabric.cache.Bench.RO;
import static io.rdma4j.fabric.cache.Bench.RW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.testing.Patience;
import io.rdma4j.testing.TestBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Four threads acquire, release, evict and report changes: no region in use is closed, and in the end all are. */
@Timeout(120)
class ThreadsTest {
    private static final int THREADS = 4;
    private static final int OPERATIONS = TestBudget.rounds(1_000, 8_000);
    private static final int AT_ONCE = 6;

    private final Set<Entry> seen = ConcurrentHashMap.newKeySet();

    @Test
    void fewEntriesForManyRanges() throws Exception {
        run(new Bench("threads-few", new CacheAttributes().maxCount(8)), 16);
    }

    @Test
    void manyEntriesForFewRanges() throws Exception {
        run(new Bench("threads-many", new CacheAttributes().maxSize(1 << 17)), 4);
    }

    private void run(final Bench bench, final int places) throws Exception {
        final ExecutorService executor = Executors.newFixedThreadPool(THREADS);
        try (bench) {
            final CyclicBarrier start = new CyclicBarrier(THREADS);
            final List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                final int seed = i;
                ends.add(executor.submit(() -> {
                    start.await(Patience.millis(), TimeUnit.MILLISECONDS);
                    new Worker(bench, places, seed).run();
                    return null;
                }));
            }
            for (final Future<?> end : ends) {
                end.get(2 * Patience.millis(), TimeUnit.MILLISECONDS);
            }
            assertThat(bench.cache.statistics().inUse()).isZero();
            assertThat(seen).as("entries used").allSatisfy(entry -> assertThat(entry.uses()).isZero());
            System.gc();
        } finally {
            executor.shutdownNow();
        }
        assertThat(seen).hasSizeGreaterThan(50)
            .allSatisfy(entry -> assertThat(entry.region().isClosed()).as("%s", entry).isTrue());
        assertThat(bench.cache.statistics().asMap()).as("%s", bench.cache).containsEntry("entries", 0L)
            .containsEntry("bytes", 0L).containsEntry("closeFailures", 0L);
    }

    private final class Worker {
        private final Bench bench;
        private final int places;
        private final SplittableRandom random;
        private final List<Entry> used = new ArrayList<>();

        Worker(final Bench bench, final int places, final int seed) {
            this.bench = bench;
            this.places = places;
            this.random = new SplittableRandom(seed);
        }

        void run() {
            for (int i = 0; i < OPERATIONS; i++) {
                step(random.nextInt(100));
            }
            while (!used.isEmpty()) {
                release();
            }
        }

        private void step(final int what) {
            if (what < 50 && used.size() < AT_ONCE) {
                acquire();
            } else if (what < 96 && !used.isEmpty()) {
                release();
            } else if (what < 98) {
                final long from = from();
                bench.change(from, from + 1 + random.nextInt(3000));
            } else if (what == 98) {
                bench.cache.flush();
            } else {
                bench.cache.invalidate(bench.base + from(), 100);
            }
        }

        private long from() {
            return random.nextInt(places) * 4000L;
        }

        private void acquire() {
            final long from = from() + (random.nextInt(8) == 0 ? random.nextInt(2000) : 0);
            final long to = from + 500 + random.nextInt(3) * 1000;
            final Object owner = random.nextInt(3) == 0 ? bench.memory : null;
            final Entry entry = bench.acquire(from, to, owner, random.nextInt(4) == 0 ? RW : RO);
            assertThat(entry.start).isLessThanOrEqualTo(bench.base + from);
            assertThat(entry.end).isGreaterThanOrEqualTo(bench.base + to);
            assertSound(entry);
            seen.add(entry);
            used.add(entry);
        }

        private void release() {
            final Entry entry = used.remove(random.nextInt(used.size()));
            assertSound(entry);
            entry.release();
        }

        private void assertSound(final Entry entry) {
            assertThat(entry.region().isClosed()).as("closed while in use: %s", entry).isFalse();
            assertThat(entry.uses()).as("%s", entry).isBetween(1L, (long) THREADS * AT_ONCE);
            awaitHeld(entry);
        }

        /** Who is about to leave, and is overtaken, holds the owner for a moment in the entry's place. */
        private void awaitHeld(final Entry entry) {
            Await.until(entry::toString, () -> (entry.held() != null) == entry.hasOwner());
        }
    }
}
