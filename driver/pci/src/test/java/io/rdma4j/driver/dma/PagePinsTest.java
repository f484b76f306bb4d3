/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.FencedPages;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.MappedMemory;
import io.rdma4j.driver.libc.Rlimit;
import io.rdma4j.testing.Patience;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(30)
class PagePinsTest {
    private static final long PAGE = 4096;

    @TempDir
    Path folder;

    private final FakeLocker locker = new FakeLocker();
    private final PagePins pins =
        new PagePins(locker, new MemlockLimit(Path.of("/none"), Path.of("/none"), () -> new Rlimit(-1, -1)));
    /** The common one may be of a single thread. */
    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void endThreads() {
        executor.shutdownNow();
    }

    /** Locks as the kernel does: without counting. Page n is at address n * 4096. */
    private static final class FakeLocker implements PagePins.Locker {
        private final BitSet locked = new BitSet();
        private final BitSet holes = new BitSet();
        private final List<String> calls = new ArrayList<>();
        private CountDownLatch entered = new CountDownLatch(0);
        private CountDownLatch mayLeave = new CountDownLatch(0);

        @Override
        public void lock(final long address, final long length) {
            entered.countDown();
            await(mayLeave);
            synchronized (this) {
                calls.add("lock " + address / PAGE + "+" + length / PAGE);
                for (int page = (int) (address / PAGE); page < (address + length) / PAGE; page++) {
                    refuseHole(page);
                    locked.set(page);
                }
            }
        }

        @Override
        public synchronized void unlock(final long address, final long length) {
            calls.add("unlock " + address / PAGE + "+" + length / PAGE);
            for (int page = (int) (address / PAGE); page < (address + length) / PAGE; page++) {
                refuseHole(page);
                locked.clear(page);
            }
        }

        private void refuseHole(final int page) {
            if (holes.get(page)) {
                throw RdmaException.of("mlock").detail("page %d is a hole", page).errno(RdmaException.ENOMEM).build();
            }
        }

        private static void await(final CountDownLatch latch) {
            try {
                Patience.await(latch, "the other thread");
            } catch (final InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private void pin(final int page, final int count) {
        pins.pin(page * PAGE, count * PAGE);
    }

    private void unpin(final int page, final int count) {
        pins.unpin(page * PAGE, count * PAGE);
    }

    /** What is locked already may have been mapped anew. */
    @Test
    void locksAllOfARangeAndUnlocksRunsInOneCallEach() {
        pin(10, 10);
        pin(5, 20);
        unpin(10, 10);
        unpin(5, 20);

        assertThat(locker.calls)
            .containsExactly("lock 10+10", "lock 5+20", "unlock 5+20");
        assertThat(pins.pinnedBytes()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 20261121})
    void aPageIsLockedExactlyAsLongAsARegionCoversIt(final long seed) {
        final Random random = new Random(seed);
        final List<int[]> regions = new ArrayList<>();
        for (int step = 0; step < 2000; step++) {
            if (!regions.isEmpty() && random.nextInt(100) < 48) {
                final int[] region = regions.remove(random.nextInt(regions.size()));
                unpin(region[0], region[1]);
            } else {
                final int[] region = {1 + random.nextInt(100), 1 + random.nextInt(30)};
                locker.holes.clear();
                if (random.nextInt(10) == 0) {
                    locker.holes.set(region[0] + random.nextInt(region[1]));
                }
                pinOrNot(region, regions);
                locker.holes.clear();
            }
            assertThat(locker.locked).as("step %d of seed %d", step, seed).isEqualTo(covered(regions));
            assertThat(pins.pinnedBytes()).isEqualTo(locker.locked.cardinality() * PAGE);
        }
        regions.forEach(region -> unpin(region[0], region[1]));
        assertThat(locker.locked.isEmpty()).isTrue();
    }

    private void pinOrNot(final int[] region, final List<int[]> regions) {
        if (covered(List.of(region)).intersects(locker.holes)) {
            assertThatThrownBy(() -> pin(region[0], region[1])).hasMessageContaining("is a hole");
        } else {
            pin(region[0], region[1]);
            regions.add(region);
        }
    }

    private static BitSet covered(final List<int[]> regions) {
        final BitSet pages = new BitSet();
        regions.forEach(region -> pages.set(region[0], region[0] + region[1]));
        return pages;
    }

    @Test
    void unlocksWhatIsLeftOfMemoryThatWasUnmappedTooEarly() {
        pin(1, 5);
        locker.holes.set(2);
        unpin(1, 5);

        locker.locked.clear(2);
        assertThat(locker.locked.isEmpty()).as("locked: %s", locker.locked).isTrue();
        assertThat(pins.pinnedBytes()).isZero();
    }

    @Test
    void looksAtTheLimitBeforeItLocks() throws IOException {
        final Path status = Files.write(folder.resolve("status"), List.of("VmLck: 4 kB", "CapEff: 0"));
        final PagePins limited = new PagePins(locker,
            new MemlockLimit(status, folder.resolve("uid_map"), () -> new Rlimit(3 * PAGE, 3 * PAGE)));
        limited.pin(PAGE, 2 * PAGE);
        locker.calls.clear();
        assertThatThrownBy(() -> limited.pin(PAGE, 5 * PAGE)).as("two of the five are pinned")
            .hasMessageContaining("12 KiB more are needed");
        limited.unpin(PAGE, 2 * PAGE);
        locker.calls.clear();
        assertThat(locker.calls).isEmpty();
        assertThat(limited.pinnedBytes()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1,4096", "4096,0", "4096,-4096", "4096,1"})
    void refusesPartsOfPages(final long address, final long length) {
        assertThatIllegalArgumentException().isThrownBy(() -> pins.pin(address, length));
    }

    @Test
    void refusesToUnpinWhatIsNotPinned() {
        pin(1, 2);
        assertThatIllegalArgumentException().isThrownBy(() -> unpin(1, 3)).withMessageContaining("0x1000..0x3fff");
        assertThat(pins.count(PAGE)).isEqualTo(1);
        unpin(1, 2);
    }

    @Test
    void nobodyIsToldOfAPageThatAnotherIsStillLocking() throws Exception {
        locker.entered = new CountDownLatch(1);
        locker.mayLeave = new CountDownLatch(1);
        final CompletableFuture<Void> first = CompletableFuture.runAsync(() -> pin(1, 10), executor);
        FakeLocker.await(locker.entered);
        final CompletableFuture<Void> inside = CompletableFuture.runAsync(() -> pin(5, 1), executor);
        assertThatThrownBy(() -> inside.get(50, TimeUnit.MILLISECONDS)).hasToString(
            "java.util.concurrent.TimeoutException");
        locker.mayLeave.countDown();
        Patience.get(first);
        Patience.get(inside);
        assertThat(locker.calls).containsExactly("lock 1+10", "lock 5+1");
        unpin(1, 10);
        assertThat(locker.locked.cardinality()).isEqualTo(1);
        unpin(5, 1);
    }

    @Test
    void manyThreadsLeaveNothingLocked() throws Exception {
        final List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            final int seed = thread;
            threads.add(CompletableFuture.runAsync(() -> {
                final Random random = new Random(seed);
                for (int i = 0; i < 500; i++) {
                    final int page = 1 + random.nextInt(20);
                    final int count = 1 + random.nextInt(10);
                    pin(page, count);
                    synchronized (locker) {
                        assertThat(locker.locked.nextClearBit(page)).isGreaterThanOrEqualTo(page + count);
                    }
                    unpin(page, count);
                }
            }, executor));
        }
        for (final CompletableFuture<Void> thread : threads) {
            Patience.get(thread);
        }
        assertThat(locker.locked.isEmpty()).isTrue();
        assertThat(pins.pinnedBytes()).isZero();
    }

    @Test
    void theKernelCountsWhatIsPinned() throws IOException {
        final Path status = Path.of("/proc/self/status");
        assumeTrue(Files.isReadable(status), "no /proc");
        final PagePins process = PagePins.process();
        try (MappedMemory memory = MappedMemory.anonymous(8 * PAGE)) {
            final long before = lockedBytes(status);
            process.pin(memory.address(), 8 * PAGE);
            assumeTrue(lockedBytes(status) != before, "this kernel does not report VmLck");
            process.pin(memory.address() + PAGE, PAGE);
            assertThat(lockedBytes(status) - before).isEqualTo(8 * PAGE);
            process.unpin(memory.address(), 8 * PAGE);
            assertThat(lockedBytes(status) - before).as("one page is pinned still").isEqualTo(PAGE);
            process.unpin(memory.address() + PAGE, PAGE);
            assertThat(lockedBytes(status)).isEqualTo(before);
        }
        assertThat(process.pinnedBytes()).isZero();
    }

    /** A lock goes with the mapping that it was taken on. */
    @Test
    void whatWasMappedAnewUnderAnOlderPinIsLocked() throws IOException {
        final Path status = Path.of("/proc/self/status");
        assumeTrue(Files.isReadable(status), "no /proc");
        final PagePins process = PagePins.process();
        try (MappedMemory memory = MappedMemory.anonymous(2 * PAGE)) {
            final long before = lockedBytes(status);
            process.pin(memory.address(), 2 * PAGE);
            assumeTrue(lockedBytes(status) != before, "this kernel does not report VmLck");
            Libc.mmap(memory.address() + PAGE, PAGE, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
                LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
            process.pin(memory.address() + PAGE, PAGE);
            assertThat(lockedBytes(status) - before).isEqualTo(2 * PAGE);
            process.unpin(memory.address(), 2 * PAGE);
            assertThat(lockedBytes(status) - before).as("the newer pin").isEqualTo(PAGE);
            process.unpin(memory.address() + PAGE, PAGE);
            assertThat(lockedBytes(status)).isEqualTo(before);
        }
    }

    private static long lockedBytes(final Path status) throws IOException {
        for (final String line : Files.readAllLines(status)) {
            if (line.startsWith("VmLck:")) {
                return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
            }
        }
        return 0;
    }

    @Test
    void pinningWhatIsNotMappedFailsAndLeavesNothing() {
        try (FencedPages pages = new FencedPages(2)) {
            final long address = pages.address();
            Libc.munmap(address, 2 * PAGE);
            assertThatThrownBy(() -> PagePins.process().pin(address, 2 * PAGE)).isInstanceOf(RdmaException.class);
            assertThat(PagePins.process().count(address)).isZero();
        }
    }
}
