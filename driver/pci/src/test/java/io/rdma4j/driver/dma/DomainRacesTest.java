/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.testing.Patience;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What threads do to each other in a domain: the last user of a window and the next one, calls and close. */
@Timeout(60)
class DomainRacesTest {
    private static final long BASE = 0x10_0000_0000L;

    private final FakeIommu iommu = new FakeIommu();
    private final SlowIommu slow = new SlowIommu();
    private final IovaAllocator iovas =
        new IovaAllocator(List.of(new IovaAllocator.Range(BASE, BASE + (64 << 20) - 1)));

    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() {
        slow.goOn.countDown();
        executor.shutdownNow();
    }

    /** Stops in the calls it is told to stop in. */
    private final class SlowIommu implements Iommu {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private volatile boolean stopsInMap;
        private volatile boolean stopsInUnmap;

        private void stop() {
            entered.countDown();
            try {
                Patience.await(goOn, "leave to go on");
            } catch (final InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void map(final long iova, final long address, final long length, final Object owner) {
            if (stopsInMap) {
                stop();
            }
            iommu.map(iova, address, length, owner);
        }

        @Override
        public void unmap(final long iova, final long length) {
            if (stopsInUnmap) {
                stopsInUnmap = false;
                stop();
            }
            iommu.unmap(iova, length);
        }

        void awaitEntry() throws InterruptedException {
            Patience.await(entered, "the call that is stopped");
        }
    }

    private IommuDmaDomain domain(final long closeMillis) {
        return new IommuDmaDomain(slow, iovas, IovaPolicy.ALLOCATED, HostMemory.ofJvm(), "test:",
            TimeUnit.MILLISECONDS.toNanos(closeMillis));
    }

    private void assertNothingIsLeft(final IommuDmaDomain domain) {
        assertThat(domain.reachableBytes()).as("%s", domain).isZero();
        assertThat(domain.mappings()).isZero();
        assertThat(iommu.mappings()).isZero();
        assertThat(iovas.freeBytes()).isEqualTo(iovas.capacity());
    }

    @Test
    void nobodyJoinsWhatTheLastUserIsUnmapping() throws Exception {
        final IommuDmaDomain domain = domain(10_000);
        final ByteBuffer memory = ByteBuffer.allocateDirect(64 << 10);
        final DmaMapping last = domain.map(BufferUtil.address(memory), 64, memory);
        slow.stopsInUnmap = true;
        final CompletableFuture<Void> closing = CompletableFuture.runAsync(last::close, executor);
        slow.awaitEntry();

        final DmaMapping next = domain.map(BufferUtil.address(memory), 64, memory);
        slow.goOn.countDown();
        Patience.get(closing);

        assertThat(next.iova()).isNotEqualTo(last.iova());
        assertThat(iommu.at(next.iova(), (int) next.length()).capacity()).isEqualTo((int) next.length());
        next.close();
        assertNothingIsLeft(domain);
    }

    @Test
    void aLiveRegionIsMappedWhateverOtherThreadsClose() throws Exception {
        final ConcurrentMap<Long, Long> mapped = new ConcurrentHashMap<>();
        final IommuDmaDomain domain = new IommuDmaDomain(withoutLock(mapped), iovas, "test:");
        final ByteBuffer memory = ByteBuffer.allocateDirect(64 << 10);
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
        final List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(CompletableFuture.runAsync(() -> {
                while (System.nanoTime() < end) {
                    try (DmaMapping region = domain.map(BufferUtil.address(memory), 64, memory)) {
                        if (!isMapped(mapped, region.iova())) {
                            throw new AssertionError("live, but not mapped: " + region);
                        }
                    }
                }
            }, executor));
        }
        for (final CompletableFuture<Void> thread : threads) {
            Patience.get(thread);
        }
        assertNothingIsLeft(domain);
    }

    /** A lock in here would keep the threads in step, and they would not meet. */
    private static Iommu withoutLock(final ConcurrentMap<Long, Long> mapped) {
        return new Iommu() {
            @Override
            public void map(final long iova, final long address, final long length, final Object owner) {
                mapped.put(iova, length);
            }

            @Override
            public void unmap(final long iova, final long length) {
                mapped.remove(iova);
            }
        };
    }

    private static boolean isMapped(final ConcurrentMap<Long, Long> mapped, final long iova) {
        for (final Map.Entry<Long, Long> window : mapped.entrySet()) {
            if (window.getKey() <= iova && iova < window.getKey() + window.getValue()) {
                return true;
            }
        }
        return false;
    }

    @Test
    void whatCannotBeUnmappedIsLiveButFoundByNobody() {
        final IommuDmaDomain domain = domain(10_000);
        final ByteBuffer memory = ByteBuffer.allocateDirect(64 << 10);
        final DmaMapping one = domain.map(BufferUtil.address(memory), 64, memory);
        final long bytes = domain.reachableBytes();
        iommu.refuseUnmap(1);
        assertThatThrownBy(one::close).hasMessageContaining("refused by the test");
        assertThat(domain.reachableBytes()).isEqualTo(bytes);
        assertThat(domain.mappings()).isEqualTo(1);

        final DmaMapping two = domain.map(BufferUtil.address(memory), 64, memory);
        assertThat(two.iova()).isNotEqualTo(one.iova());
        assertThat(domain.mappings()).isEqualTo(2);
        two.close();
        domain.close();
        assertNothingIsLeft(domain);
    }

    @Test
    void closeWaitsForWhatIsBeingUnmapped() throws Exception {
        final IommuDmaDomain domain = domain(20_000);
        final DmaMemory memory = domain.allocate(4096);
        slow.stopsInUnmap = true;
        final CompletableFuture<Void> region = CompletableFuture.runAsync(memory::close, executor);
        slow.awaitEntry();

        final CompletableFuture<Void> closing = CompletableFuture.runAsync(domain::close, executor);
        assertStaysOpen(closing);
        slow.goOn.countDown();
        Patience.get(closing);

        assertNothingIsLeft(domain);
        Patience.get(region);
    }

    @Test
    void closeWaitsForWhatIsBeingMapped() throws Exception {
        final IommuDmaDomain domain = domain(20_000);
        slow.stopsInMap = true;
        final CompletableFuture<DmaMemory> allocating =
            CompletableFuture.supplyAsync(() -> domain.allocate(4096), executor);
        slow.awaitEntry();

        final CompletableFuture<Void> closing = CompletableFuture.runAsync(domain::close, executor);
        assertStaysOpen(closing);
        slow.goOn.countDown();
        Patience.get(closing);

        assertNothingIsLeft(domain);
        assertThatThrownBy(() -> Patience.get(allocating)).isInstanceOf(ExecutionException.class)
            .hasMessageContaining("the device is closed");
    }

    private static void assertStaysOpen(final CompletableFuture<Void> closing) {
        assertThatThrownBy(() -> closing.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
    }

    @Test
    void closeUnmapsWhatAnotherThreadCouldNot() throws Exception {
        final IommuDmaDomain domain = domain(20_000);
        final DmaMemory memory = domain.allocate(4096);
        slow.stopsInUnmap = true;
        iommu.refuseUnmap(1);
        final CompletableFuture<Void> region = CompletableFuture.runAsync(memory::close, executor);
        slow.awaitEntry();
        final CompletableFuture<Void> closing = CompletableFuture.runAsync(domain::close, executor);
        assertStaysOpen(closing);
        slow.goOn.countDown();
        Patience.get(closing);

        assertThatThrownBy(() -> Patience.get(region)).hasMessageContaining("refused by the test");
        assertNothingIsLeft(domain);
    }

    @Test
    void closeSaysWhatDoesNotEndAndUnmapsTheRest() throws Exception {
        final IommuDmaDomain domain = domain(50);
        final DmaMemory stuck = domain.allocate(4096);
        final DmaMemory other = domain.allocate(8192);
        slow.stopsInUnmap = true;
        final CompletableFuture<Void> region = CompletableFuture.runAsync(stuck::close, executor);
        slow.awaitEntry();

        assertThatThrownBy(domain::close)
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.ETIMEDOUT))
            .hasMessageContaining("more than 50 ms: unmapping 0x" + Long.toHexString(stuck.address()));
        assertThat(iommu.mappings()).as("only the stuck one, not %s", other).isEqualTo(1);
        slow.goOn.countDown();
        Patience.get(region);
        domain.close();
        assertNothingIsLeft(domain);
    }
}
