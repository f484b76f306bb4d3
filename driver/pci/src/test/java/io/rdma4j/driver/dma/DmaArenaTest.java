/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.testing.Patience;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DmaArenaTest {
    private static final long BASE = 0x7000_0000L;

    private final FakeIommu iommu = new FakeIommu();
    private final IommuDmaDomain domain = new IommuDmaDomain(iommu,
        new IovaAllocator(List.of(new IovaAllocator.Range(BASE, BASE + (256 << 20) - 1))), "test:");
    private final DmaArena arena = new DmaArena(domain);

    @AfterEach
    void nothingIsReachableAfterClose() {
        arena.close();
        assertThat(domain.reachableBytes()).isZero();
        assertThat(iommu.mappings()).isZero();
    }

    @Test
    void smallRequestsShareOneMapping() {
        final DmaPages a = arena.allocate(1);
        final DmaPages b = arena.allocate(3);

        assertThat(iommu.mappings()).isEqualTo(1);
        assertThat(b.iova()).isEqualTo(a.iova() + 4096);
        assertThat(b.address()).isEqualTo(a.address() + 4096);
        assertThat(arena.usedPages()).isEqualTo(4);
        assertThat(arena.reservedPages()).isEqualTo(DmaArena.CHUNK_PAGES);
    }

    @Test
    void whatOneSideWritesTheOtherReads() {
        arena.allocate(1);
        final DmaPages pages = arena.allocate(2);

        pages.buffer(4096, 8).putLong(0, 42);

        assertThat(iommu.at(pages.iova(1), 8).getLong(0)).isEqualTo(42);
        assertThat(pages.iova(0)).isEqualTo(pages.iova()).isEqualTo(pages.iova(1) - 4096);
        assertThat(pages.buffer(0, 8192).capacity()).isEqualTo(8192);
        assertThat(pages.buffer(8192, 0).capacity()).isZero();
        assertThatThrownBy(() -> pages.iova(-1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> pages.buffer(0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> pages.iova(2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> pages.buffer(8192, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> pages.buffer(-4096, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void reusedPagesAreZero() {
        final DmaPages all = arena.allocate(DmaArena.CHUNK_PAGES);
        all.buffer().setMemory(0, all.length(), (byte) 0x5a);
        all.close();

        final DmaPages again = arena.allocate(DmaArena.CHUNK_PAGES);

        assertThat(again.iova()).isEqualTo(all.iova());
        for (int i = 0; i < again.length(); i += 8) {
            assertThat(again.buffer().getLong(i)).as("offset %d", i).isZero();
        }
    }

    @Test
    void reusesWhatWasFreedLongestAgo() {
        final List<DmaPages> single = new ArrayList<>();
        for (int i = 0; i < DmaArena.CHUNK_PAGES; i++) {
            single.add(arena.allocate(1));
        }
        single.get(40).close();
        single.get(10).close();
        single.get(20).close();

        assertThat(arena.allocate(1).iova()).isEqualTo(single.get(40).iova());
        assertThat(arena.allocate(1).iova()).isEqualTo(single.get(10).iova());
        assertThat(arena.allocate(1).iova()).isEqualTo(single.get(20).iova());
    }

    @Test
    void mergesNeighboursSoThatLargerRequestsFitAgain() {
        final DmaPages a = arena.allocate(20);
        final DmaPages b = arena.allocate(24);
        final DmaPages c = arena.allocate(20);
        a.close();
        c.close();
        b.close();

        assertThat(arena.allocate(64).iova()).isEqualTo(a.iova());
        assertThat(iommu.mappings()).isEqualTo(1);
    }

    @Test
    void keepsOneFreeChunkAndGivesTheOthersBack() {
        final List<DmaPages> pages = new ArrayList<>();
        for (int i = 0; i < 4 * DmaArena.CHUNK_PAGES; i += 3) {
            pages.add(arena.allocate(3));
        }
        assertThat(iommu.mappings()).isGreaterThan(3);

        pages.forEach(DmaPages::close);

        assertThat(iommu.mappings()).isEqualTo(1);
        assertThat(arena.reservedPages()).isEqualTo(DmaArena.CHUNK_PAGES);
        assertThat(arena.allocate(DmaArena.CHUNK_PAGES).length()).isEqualTo(DmaArena.CHUNK_PAGES * 4096);
        assertThat(iommu.mappings()).isEqualTo(1);
    }

    @Test
    void aLargeRequestHasItsOwnMemoryAndGivesItBackAtOnce() {
        final DmaPages large = arena.allocate(DmaArena.CHUNK_PAGES + 1);
        assertThat(domain.reachableBytes()).isEqualTo((DmaArena.CHUNK_PAGES + 1) * 4096L);

        large.close();
        large.close();

        assertThat(domain.reachableBytes()).isZero();
        assertThat(arena.usedPages()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 262145, Integer.MAX_VALUE})
    void refusesNumbersOutOfRange(final int pages) {
        assertThatThrownBy(() -> arena.allocate(pages)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("allowed are 1 to 262144");
    }

    @Test
    void closingPagesAfterTheArenaIsHarmlessAndTheirMemoryIsStillThere() {
        final DmaPages pages = arena.allocate(1);

        arena.close();
        assertThat(arena.usedPages()).isEqualTo(1);
        pages.buffer().putLong(0, 1);
        pages.close();
        arena.close();

        assertThat(arena.usedPages()).isZero();
        assertThatThrownBy(() -> arena.allocate(1)).hasMessageContaining("closed");
        assertThatThrownBy(() -> arena.allocate(100)).hasMessageContaining("closed");
    }

    @Test
    void aRefusedChunkLeavesNothingBehind() {
        iommu.refuseMap(1);

        assertThatThrownBy(() -> arena.allocate(1)).hasMessageContaining("refused by the test");

        assertThat(arena.usedPages()).isZero();
        assertThat(arena.reservedPages()).isZero();
        arena.allocate(1).close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 99})
    void neverHandsOutAPageTwice(final long seed) {
        final Random random = new Random(seed);
        final List<DmaPages> held = new ArrayList<>();
        int pages = 0;
        for (int step = 1; step < 3000; step++) {
            if (held.size() > 20 || !held.isEmpty() && random.nextBoolean()) {
                final DmaPages freed = held.remove(random.nextInt(held.size()));
                for (int page = 0; page < freed.pages(); page++) {
                    assertThat(freed.buffer().getInt(page * 4096)).as("owner of %s, step %d", freed, step)
                        .isEqualTo(System.identityHashCode(freed));
                }
                pages -= freed.pages();
                freed.close();
            } else {
                final DmaPages taken = arena.allocate(1 + random.nextInt(random.nextInt(20) == 0 ? 100 : 10));
                for (int page = 0; page < taken.pages(); page++) {
                    assertThat(taken.buffer().getInt(page * 4096)).isZero();
                    taken.buffer().putInt(page * 4096, System.identityHashCode(taken));
                }
                pages += taken.pages();
                held.add(taken);
            }
            assertThat(arena.usedPages()).isEqualTo(pages);
        }
        held.forEach(DmaPages::close);
        assertThat(arena.usedPages()).isZero();
    }

    @Test
    void servesSeveralThreads() throws InterruptedException {
        final int threads = 4;
        final CountDownLatch done = new CountDownLatch(threads);
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int t = 0; t < threads; t++) {
            final int mark = t + 1;
            final Thread thread = new Thread(() -> {
                for (int i = 0; i < 500; i++) {
                    try (DmaPages pages = arena.allocate(1 + i % 5)) {
                        pages.buffer().setMemory(0, pages.length(), (byte) mark);
                        if (pages.buffer().getByte(pages.length() - 1) != mark) {
                            failure.set(new AssertionError("page shared by two threads"));
                        }
                    }
                }
                done.countDown();
            });
            thread.setUncaughtExceptionHandler((who, e) -> failure.set(e));
            thread.start();
        }
        assertThat(done.await(Patience.millis(), TimeUnit.MILLISECONDS)).as("threads end: %s", failure.get()).isTrue();
        assertThat(failure.get()).isNull();
        assertThat(arena.usedPages()).isZero();
    }

    @Test
    void knowsWhichMemoryIsItsOwn() {
        assertThat(arena.holds(0x10000, 1L << 40)).as("empty").isFalse();
        final DmaPages small = arena.allocate(1);
        final DmaPages large = arena.allocate(DmaArena.CHUNK_PAGES + 1);
        final long end = large.address() + large.length();
        assertThat(arena.holds(small.address(), 1)).isTrue();
        assertThat(arena.holds(small.address() + 4096, 1)).as("free pages, too").isTrue();
        assertThat(arena.holds(large.address() - 4096, 4096)).isFalse();
        assertThat(arena.holds(large.address() - 4096, 4097)).isTrue();
        assertThat(arena.holds(end - 1, 1)).isTrue();
        assertThat(arena.holds(end, 1)).isFalse();
        assertThat(arena.holds(0x10000, Long.MAX_VALUE - 0x10000)).isTrue();
        large.close();
        assertThat(arena.holds(large.address(), large.length())).isFalse();
    }

    @Test
    void closeGoesOnAfterARefusal() {
        for (int i = 0; i < 3; i++) {
            arena.allocate(DmaArena.CHUNK_PAGES);
        }
        iommu.refuseUnmap(1);

        assertThatThrownBy(arena::close).hasMessageContaining("refused by the test");

        assertThat(iommu.mappings()).as("all others are gone").isEqualTo(1);
        domain.close();
    }
}
