/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static io.rdma4j.fabric.cache.Bench.PAGE;
import static io.rdma4j.fabric.cache.Bench.RO;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CacheAttributes;
import io.rdma4j.verbs.PinnedMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory that gets another owner, or none, while it is registered or idle. */
@Timeout(60)
class HandedOverTest {
    /** Nothing is mapped there, no file either. */
    private static final long BASE = 1L << 45;

    private final ByteBuffer first = ByteBuffer.allocateDirect(1);
    private final ByteBuffer second = ByteBuffer.allocateDirect(1);

    /** What happens while the first region is registered. */
    private static RegionCache cache(final TestMonitor monitor, final Consumer<RegionCache> deed) {
        final RegionCache[] made = new RegionCache[1];
        final List<Long> registered = new ArrayList<>() {
            @Override
            public boolean add(final Long length) {
                super.add(length);
                if (size() == 1) {
                    deed.accept(made[0]);
                }
                return true;
            }
        };
        made[0] = RegistrationCaches.create(NoDomain.ofSmall(Long.MAX_VALUE, registered),
            new CacheSettings(name -> null, name -> null, new CacheAttributes().maxCount(100).monitor(monitor)));
        return made[0];
    }

    @Test
    void whatIsAdoptedByAnotherWhileItIsRegisteredIsThatOnes() {
        try (RegionCache cache = cache(new TestMonitor(), made -> made.adopt(BASE, PAGE, second))) {
            cache.adopt(BASE, PAGE, first);
            final Entry entry = (Entry) cache.acquire(BASE, 10, RO);
            assertThat(cache.statistics().retries()).isOne();
            assertThat(entry.isOf(second)).as("%s", cache).isTrue();
            assertThat(cache.acquire(BASE, 10, RO)).isSameAs(entry);
            entry.release();
            entry.release();
        }
        assertThat(first.capacity() + second.capacity()).as("both are still held").isEqualTo(2);
    }

    /** Who adopted it has no word in what is there now. */
    @Test
    void whatIsNobodysAnyMoreWhenItIsRegisteredIsWatched() {
        final TestMonitor monitor = new TestMonitor();
        try (RegionCache cache = cache(monitor, made -> made.invalidate(BASE, PAGE))) {
            cache.adopt(BASE, PAGE, first);
            final Entry entry = (Entry) cache.acquire(BASE, 10, RO);
            assertThat(entry.hasOwner()).as("%s", cache).isFalse();
            assertThat(monitor.subscriptions).hasValue(1);
            entry.release();
        }
        assertThat(monitor.subscriptions).hasValue(0);
        assertThat(first.capacity()).as("it is still held").isOne();
    }

    @Test
    void aChangeThatIsToldEndsAnAdoption() {
        try (Bench bench = Bench.of("over-told")) {
            bench.cache.adopt(bench.base, 2 * PAGE, bench.memory);
            assertThat(bench.use(0, 10).isOf(bench.memory)).isTrue();
            bench.change(PAGE, PAGE + 1);
            assertThat(bench.use(0, PAGE + 1).hasOwner()).isFalse();
        }
    }

    @Test
    void adoptionsSideBySideAreBothTrue() {
        try (Bench bench = Bench.of("over-beside")) {
            bench.cache.adopt(bench.base, PAGE, first);
            bench.cache.adopt(bench.base + PAGE, PAGE, second);
            bench.cache.adopt(bench.base + 2 * PAGE, PAGE, first);
            assertThat(bench.use(0, PAGE).isOf(first)).isTrue();
            assertThat(bench.use(PAGE, 2 * PAGE).isOf(second)).isTrue();
            assertThat(bench.use(2 * PAGE, 3 * PAGE).isOf(first)).isTrue();
        }
    }

    /** It is given back with the last region of it: any miss looks, some at a time, and again later. */
    @Test
    void closedPinnedMemoryGoesWithTheNextMissWhereverThatIs() {
        try (Bench bench = Bench.of("over-pinned")) {
            final PinnedMemory pinned = bench.context.allocate(PAGE);
            final Entry entry = (Entry) bench.cache.acquire(pinned.address(), PAGE, pinned, RO);
            entry.release();
            bench.use(0, 10);
            assertThat(entry.region().isClosed()).isFalse();
            pinned.close();
            bench.use(20, 30);
            assertThat(entry.region().isClosed()).isTrue();
        }
    }

    /** Whose turn is not yet goes before the rest of its page is registered. */
    @Test
    void closedPinnedMemoryGoesBeforeItsPageIsRegistered() {
        try (Bench bench = Bench.of("over-page")) {
            final List<PinnedMemory> open = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                open.add(bench.context.allocate(PAGE));
                bench.acquire((8 + i) * PAGE, (9 + i) * PAGE, open.get(i), RO).release();
            }
            final PinnedMemory pinned = bench.context.allocate(PAGE);
            final Entry before = bench.acquire(0, 100, pinned, RO);
            before.release();
            pinned.close();
            bench.use(PAGE - 100, PAGE);
            assertThat(before.region().isClosed()).isTrue();
            bench.cache.flush();
            open.forEach(PinnedMemory::close);
        }
    }
}
