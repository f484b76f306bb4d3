/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import static io.rdma4j.fabric.cache.Bench.RW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.fabric.CachedRegion;
import io.rdma4j.fabric.testing.Await;
import io.rdma4j.verbs.AccessFlag;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.RdmaContext;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The cache keeps no buffer from being collected, unless a region of it is in use; then it does. */
@Timeout(60)
class OwnerGoneTest {
    private static final int LENGTH = 1 << 16;
    private static final ByteBuffer LASTING = ByteBuffer.allocateDirect(LENGTH);

    /** What is left of a buffer that nobody else holds. */
    private record Left(WeakReference<ByteBuffer> buffer, Entry entry) {
    }

    private static Left acquireNew(final Bench bench) {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(LENGTH);
        final Entry entry = (Entry) bench.cache.acquire(BufferUtil.address(buffer), LENGTH, buffer, RW);
        return new Left(new WeakReference<>(buffer), entry);
    }

    @Test
    void anIdleEntryGoesWithItsOwner() {
        try (Bench bench = Bench.of("gone-idle")) {
            final Left left = acquireNew(bench);
            left.entry.release();
            Await.until(left::toString, () -> collect() && left.buffer.get() == null);
            Bench.awaitClosed(left.entry);
            Await.until(bench.cache::toString, () -> bench.cache.statistics().entries() == 0);
            assertThat(bench.cache.statistics().invalidations()).isEqualTo(1);
        }
    }

    /** The device may have one mapping for all regions of a buffer, and hold the buffer for it. */
    @Test
    void anIdleEntryDoesNotOutliveARegionThatKeptItsOwner() {
        try (Bench bench = Bench.of("gone-registered")) {
            final Left left = registeredToo(bench);
            Await.until(left::toString, () -> collect() && left.buffer.get() == null);
            Bench.awaitClosed(left.entry);
        }
    }

    private static Left registeredToo(final Bench bench) {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(LENGTH);
        final MemoryRegion region = bench.pd.register(buffer, AccessFlag.REMOTE_READ);
        final Entry entry = (Entry) bench.cache.acquire(BufferUtil.address(buffer), LENGTH, buffer, RW);
        entry.release();
        region.close();
        return new Left(new WeakReference<>(buffer), entry);
    }

    /** Pinned memory that is closed is given back only with the last region of it. */
    @Test
    void closedPinnedMemoryIsGivenBackThoughItsObjectIsStillThere() {
        try (Bench bench = Bench.of("gone-pinned")) {
            final List<PinnedMemory> held = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                final PinnedMemory memory = bench.context.allocate(LENGTH);
                held.add(memory);
                bench.cache.acquire(memory.address(), LENGTH, memory, RW).release();
                memory.close();
            }
            assertThat(bench.context.reachableBytes()).as("of %s pieces, all closed: %s", held.size(), bench.cache)
                .isLessThan(10L * LENGTH);
            assertThat(bench.cache.statistics().entries()).isLessThan(3);
        }
    }

    /** What a program forgot. */
    private static WeakReference<RdmaContext> forget(final boolean released, final boolean closed) {
        final Bench bench = Bench.of("gone-forgotten");
        final PinnedMemory memory = bench.context.allocate(LENGTH);
        final CachedRegion own = bench.cache.acquire(memory.address(), LENGTH, memory, RW);
        final CachedRegion others = bench.cache.acquire(BufferUtil.address(LASTING), LENGTH, LASTING, RW);
        if (released) {
            own.release();
            others.release();
        }
        if (closed) {
            bench.cache.close();
        }
        bench.context.close();
        return new WeakReference<>(bench.context);
    }

    /** Its memory may be the device's own, or live longer. */
    @ParameterizedTest
    @CsvSource({"false, true", "false, false", "true, false"})
    void whatIsNeverReleasedOrClosedKeepsNoDevice(final boolean released, final boolean closed) {
        final WeakReference<RdmaContext> context = forget(released, closed);
        Await.until(context::toString, () -> collect() && context.get() == null);
    }

    private static boolean collect() {
        System.gc();
        return true;
    }

    @Test
    void anEntryInUseKeepsItsOwner() {
        try (Bench bench = Bench.of("gone-used")) {
            final Left left = acquireNew(bench);
            // Others are collected meanwhile.
            final Left other = acquireNew(bench);
            other.entry.release();
            Await.until(other::toString, () -> collect() && other.buffer.get() == null);
            assertThat(left.buffer.get()).isNotNull();
            assertThat(left.entry.region().isClosed()).isFalse();
            left.entry.release();
            Await.until(left::toString, () -> collect() && left.buffer.get() == null);
            Bench.awaitClosed(left.entry);
        }
    }

    @Test
    void usedAgainItIsKeptAgain() {
        try (Bench bench = Bench.of("gone-again")) {
            final Left left = again(bench);
            final Left other = acquireNew(bench);
            other.entry.release();
            Await.until(other::toString, () -> collect() && other.buffer.get() == null);
            assertThat(left.buffer.get()).isNotNull();
            left.entry.release();
            assertThat(left.entry.held()).isNull();
        }
    }

    private static Left again(final Bench bench) {
        final Left left = acquireNew(bench);
        left.entry.release();
        final ByteBuffer buffer = left.buffer.get();
        assertThat(bench.cache.acquire(BufferUtil.address(buffer), 10, buffer, RW)).isSameAs(left.entry);
        assertThat(left.entry.held()).isSameAs(buffer);
        return left;
    }

    /** The allocator gives the same addresses to others soon; each gets an entry of its own. */
    @Test
    void memoryThatIsUsedAgainIsRegisteredAgain() {
        try (Bench bench = Bench.of("gone-reuse")) {
            for (int i = 0; i < 200; i++) {
                final Left left = acquireNew(bench);
                final ByteBuffer buffer = left.buffer.get();
                assertThat(left.entry.isOf(buffer)).isTrue();
                assertThat(left.entry.takes()).as("found again").isZero();
                left.entry.release();
                if (i % 40 == 0) {
                    System.gc();
                }
            }
            assertThat(bench.cache.statistics().asMap()).containsEntry("hits", 0L).containsEntry("misses", 200L);
        }
    }
}
