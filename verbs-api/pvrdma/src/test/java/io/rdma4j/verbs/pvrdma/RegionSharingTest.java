/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.rdma4j.verbs.pvrdma.Refusals.assertInvalid;
import static io.rdma4j.verbs.pvrdma.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.PagePins;
import io.rdma4j.testing.Background;
import io.rdma4j.testing.Patience;
import io.rdma4j.verbs.MemoryRegion;
import io.rdma4j.verbs.PinnedMemory;
import io.rdma4j.verbs.ProtectionDomain;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** What many regions of the same memory cost, and that the last one gives it back. */
@Timeout(60)
class RegionSharingTest {
    @RegisterExtension
    final Devices devices = new Devices();

    @Test
    void manySmallRegionsOfOneBufferReachEachPageTwiceAtMost() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final long before = device.reachableBytes();
        final ByteBuffer memory = ByteBuffer.allocateDirect(4 << 20);
        final List<MemoryRegion> regions = new ArrayList<>();
        for (int i = 0; i < 5000; i++) {
            regions.add(pd.register(memory.duplicate().position(i * 800).limit(i * 800 + 512), LOCAL_WRITE));
        }
        // Two pages for the directory of each come on top. Regions across the border of two windows map both again.
        assertThat(device.reachableBytes() - before).isLessThan(2 * (4 << 20) + 5000L * 8192 + (1 << 19));
        Collections.shuffle(regions, new Random(1));
        regions.forEach(MemoryRegion::close);
        assertThat(device.reachableBytes() - before).isLessThan(1 << 20);
    }

    @Test
    void partsOfPinnedMemoryAreReachableAlready() {
        final PvrdmaContext device = devices.open();
        final ProtectionDomain pd = device.allocatePd();
        final PinnedMemory memory = device.allocate(1 << 20);
        pd.register(memory.address(), 1);
        final long before = device.reachableBytes();
        pd.register(memory, LOCAL_WRITE);
        pd.register(memory.address() + 100_000, 500_000, memory, LOCAL_WRITE);
        assertThat(device.reachableBytes()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"mlock=true", "mlock=true&pages=thp", "mlock=true&pages=auto", "mlock=true&pages=4K"})
    void locksPagesAsLongAsOneRegionNeedsThem(final String options) {
        final long before = PagePins.process().pinnedBytes();
        final PvrdmaContext device = devices.open(options);
        final ProtectionDomain pd = device.allocatePd();
        final ByteBuffer memory = ByteBuffer.allocateDirect(1 << 20);
        final long address = BufferUtil.address(memory);
        final MemoryRegion all = pd.register(memory, LOCAL_WRITE);
        final MemoryRegion part = pd.register(address + 300_000, 300_000, LOCAL_WRITE);
        final MemoryRegion unknown = pd.register(address + 300_000, 300_000, List.of(memory), LOCAL_WRITE);
        final PagePins pins = PagePins.process();
        assertThat(pins.count(address + 400_000)).isPositive();
        assertThat(pins.pinnedBytes() - before).isEqualTo(device.reachableBytes());
        all.close();
        part.close();
        unknown.close();
        assertThat(pins.count(address + 400_000)).isZero();
        assertThat(pins.pinnedBytes() - before).isEqualTo(device.reachableBytes());

        device.close();
        assertThat(pins.pinnedBytes()).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "1G", "2M", "thp", "4K"})
    void allocatesFromWhateverPagesThereAre(final String pages) {
        final PvrdmaContext device = devices.open("pages=" + pages);
        try (PinnedMemory memory = device.allocate((5 << 20) - 1)) {
            assertThat(memory.length()).isEqualTo(5 << 20);
            memory.buffer().putLong((5 << 20) - 8, 1);
            final MemoryRegion region = device.allocatePd().register(memory, LOCAL_WRITE);
            assertThat(region.length()).isEqualTo(5 << 20);
            region.close();
        }
    }

    @Test
    void refusesOptionsThatMeanNothing() {
        assertInvalid(() -> devices.open("pages=3M"), "pages=3M", "auto, 1G, 2M, thp, 4K");
        assertInvalid(() -> devices.open("mlock=maybe"), "mlock=maybe", "true or false");
    }

    @Test
    void namesTheByteThatCannotBeLocked() {
        final PvrdmaContext device = devices.open("mlock=true");
        final ProtectionDomain pd = device.allocatePd();
        assertRefused(RdmaException.EFAULT, () -> pd.register(4096, 1), "0x1000 is not mapped");
    }

    @Test
    void threadsRegisterTheSameMemoryAtTheSameTime() throws Exception {
        final PvrdmaContext device = devices.open("mlock=true");
        final long before = PagePins.process().pinnedBytes();
        final ProtectionDomain pd = device.allocatePd();
        final ByteBuffer memory = ByteBuffer.allocateDirect(2 << 20);
        final List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            final Random random = new Random(thread);
            threads.add(CompletableFuture.runAsync(() -> churn(pd, memory, random), Background::run));
        }
        for (final CompletableFuture<Void> thread : threads) {
            Patience.get(thread);
        }
        assertThat(PagePins.process().count(BufferUtil.address(memory) + (1 << 20))).isZero();
        device.close();
        assertThat(PagePins.process().pinnedBytes()).isLessThanOrEqualTo(before);
    }

    private static void churn(final ProtectionDomain pd, final ByteBuffer memory, final Random random) {
        for (int i = 0; i < 200; i++) {
            final int length = 1 + random.nextInt(random.nextBoolean() ? 1000 : 900_000);
            final int from = random.nextInt((2 << 20) - length);
            final MemoryRegion region =
                pd.register(memory.duplicate().position(from).limit(from + length), LOCAL_WRITE);
            assertThat(PagePins.process().count(region.address())).isPositive();
            assertThat(PagePins.process().count(region.address() + length - 1)).isPositive();
            region.close();
        }
    }
}
