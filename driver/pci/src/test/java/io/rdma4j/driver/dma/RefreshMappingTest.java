/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.testing.Patience;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Mappings that are refreshed, alone and while other threads map, unmap and close. */
@Timeout(60)
class RefreshMappingTest {
    private static final long BASE = 0x10_0000_0000L;
    private static final int PAGE = 4096;

    private final FakeIommu fake = new FakeIommu();
    private final SlowIommu slow = new SlowIommu();
    private final IovaAllocator iovas =
        new IovaAllocator(List.of(new IovaAllocator.Range(BASE, BASE + (64 << 20) - 1)));
    private final IommuDmaDomain domain = new IommuDmaDomain(slow, iovas, IovaPolicy.ALLOCATED, HostMemory.ofJvm(),
        "test:", TimeUnit.SECONDS.toNanos(20));
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 << 10);
    private final long address = BufferUtil.address(buffer) + PAGE - 1 & -PAGE;
    private final ExecutorService executor = Executors.newCachedThreadPool();

    /** Stops in a refresh when told to. */
    private final class SlowIommu implements Iommu {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private volatile boolean stops;

        @Override
        public void map(final long iova, final long from, final long length, final Object owner) {
            fake.map(iova, from, length, owner);
        }

        @Override
        public void unmap(final long iova, final long length) {
            fake.unmap(iova, length);
        }

        @Override
        public boolean refreshes() {
            return true;
        }

        @Override
        public void refresh(final Range mapping, final long changed, final long bytes, final boolean write) {
            if (stops) {
                stops = false;
                entered.countDown();
                try {
                    Patience.await(goOn, "leave to go on");
                } catch (final InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
            fake.refresh(mapping, changed, bytes, write);
        }
    }

    @AfterEach
    void endThreads() {
        slow.goOn.countDown();
        executor.shutdownNow();
    }

    private void assertNothingIsLeft() {
        assertThat(domain.reachableBytes()).as("%s", domain).isZero();
        assertThat(domain.mappings()).isZero();
        assertThat(fake.mappings()).isZero();
        assertThat(iovas.freeBytes()).isEqualTo(iovas.capacity());
    }

    private static void refresh(final DmaMapping mapping) {
        mapping.refresh(mapping.pageAddress(), PAGE, true);
    }

    private CompletableFuture<Void> startRefresh(final DmaMapping mapping) throws InterruptedException {
        slow.stops = true;
        final CompletableFuture<Void> refreshing = CompletableFuture.runAsync(() -> refresh(mapping), executor);
        Patience.await(slow.entered, "the refresh that is stopped");
        return refreshing;
    }

    private static void assertWaits(final CompletableFuture<Void> call) {
        assertThatThrownBy(() -> call.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }

    @Test
    void onlyPagesOfTheMappingAreRefreshed() {
        final DmaMapping mapping = domain.map(address, 2 * PAGE, null);
        mapping.refresh(address + PAGE, PAGE, false);
        for (final long[] part : new long[][]{{address - PAGE, PAGE}, {address, 3 * PAGE}, {address + 1, PAGE},
            {address, PAGE - 1}, {address, 0}, {address, -PAGE}, {address, Long.MIN_VALUE}, {0, PAGE}}) {
            assertThatThrownBy(() -> mapping.refresh(part[0], part[1], true))
                .isInstanceOf(IllegalArgumentException.class);
        }
        mapping.close();
        assertThatThrownBy(() -> refresh(mapping)).isInstanceOfSatisfying(RdmaException.class,
            e -> assertThat(e.errno()).isEqualTo(RdmaException.EBADFD));
        assertThat(fake.log).containsExactly("map", "refresh", "unmap");
        assertNothingIsLeft();
    }

    @Test
    void whoLeavesDuringARefreshIsTheLastUserAllTheSame() throws Exception {
        final DmaMapping mapping = domain.map(address, PAGE, null);
        final CompletableFuture<Void> refreshing = startRefresh(mapping);
        mapping.close();
        assertThat(fake.mappings()).as("not unmapped under the refresh").isEqualTo(1);
        slow.goOn.countDown();
        Patience.get(refreshing);
        assertThat(fake.log).containsExactly("map", "refresh", "unmap");
        assertNothingIsLeft();
    }

    @Test
    void closingTheDomainWaitsForTheRefresh() throws Exception {
        final DmaMapping mapping = domain.map(address, PAGE, null);
        final CompletableFuture<Void> refreshing = startRefresh(mapping);
        final CompletableFuture<Void> closing = CompletableFuture.runAsync(domain::close, executor);
        assertWaits(closing);
        slow.goOn.countDown();
        Patience.get(closing);
        Patience.get(refreshing);
        assertThat(fake.log).containsExactly("map", "refresh", "unmap");
        assertThatThrownBy(() -> refresh(mapping)).hasMessageContaining("not mapped any more");
        mapping.close();
        assertNothingIsLeft();
    }

    @Test
    void twoRefreshesOfOneMappingGoOneAfterTheOther() throws Exception {
        final DmaMapping mapping = domain.map(address, PAGE, null);
        final CompletableFuture<Void> first = startRefresh(mapping);
        final CompletableFuture<Void> second = CompletableFuture.runAsync(() -> refresh(mapping), executor);
        assertWaits(second);
        assertThat(fake.log).containsExactly("map");
        slow.goOn.countDown();
        Patience.get(first);
        Patience.get(second);
        assertThat(fake.log).containsExactly("map", "refresh", "refresh");
        mapping.close();
        assertNothingIsLeft();
    }

    /** A mapping without pages must not be given to somebody who registers memory that is there. */
    @Test
    void nobodyJoinsAMappingThatIsOrWasRefreshedInVain() throws Exception {
        final DmaMapping mapping = domain.map(address, PAGE, buffer);
        fake.refuseRefresh(1);
        final CompletableFuture<Void> refreshing = startRefresh(mapping);
        final DmaMapping during = domain.map(address, PAGE, buffer);
        assertThat(during.iova()).isNotEqualTo(mapping.iova());
        slow.goOn.countDown();
        assertThatThrownBy(() -> Patience.get(refreshing)).hasMessageContaining("refused by the test");
        during.close();
        final DmaMapping after = domain.map(address, PAGE, buffer);
        assertThat(after.iova()).isNotEqualTo(mapping.iova());
        after.close();
        refresh(mapping);
        final DmaMapping mended = domain.map(address, PAGE, buffer);
        assertThat(mended.iova()).isEqualTo(mapping.iova());
        mended.close();
        mapping.close();
        assertNothingIsLeft();
    }

    @Test
    void platformsThatCannotSaySo() {
        final IommuDmaDomain plain = new IommuDmaDomain(new Iommu() {
            @Override
            public void map(final long iova, final long from, final long length, final Object owner) {
                // Maps nothing.
            }

            @Override
            public void unmap(final long iova, final long length) {
                // Unmaps nothing.
            }
        }, iovas, "test:");
        assertThat(plain.refreshes()).isFalse();
        assertThat(plain.mapsOnDemand()).isFalse();
        final DmaMapping mapping = plain.map(address, PAGE, null);
        assertUnsupported(() -> refresh(mapping));
        assertUnsupported(() -> plain.mapOnDemand(address, PAGE));
        mapping.close();
        assertThat(plain.reachableBytes()).isZero();
        assertThat(plain.mappings()).isZero();
        assertThat(iovas.freeBytes()).isEqualTo(iovas.capacity());
    }

    private static void assertUnsupported(final org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(RdmaException.class,
            e -> assertThat(e.errno()).isEqualTo(RdmaException.EOPNOTSUPP));
    }
}
