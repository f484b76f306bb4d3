/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.hw.pvrdma.cmd.CreateMrRequest.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.cmd.Command;
import io.rdma4j.hw.pvrdma.cmd.CreateMrRequest;

import java.nio.ByteBuffer;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages in any order, regions with an IOVA of their own, and regions that share pages. */
class RegionPagesTest {
    private static final int PAGE = 4096;

    private final FakePvrdma fake = new FakePvrdma();
    private final ByteBuffer memory = ByteBuffer.allocateDirect(9 * PAGE).alignedSlice(PAGE);
    private final long base = BufferUtil.address(memory);
    private PvrdmaDevice device;
    private int pd;
    private long reachableBefore;
    private int pagesBefore;

    private void open() {
        device = fake.open();
        pd = device.commands().createPd();
        reachableBefore = device.dma().reachableBytes();
        pagesBefore = device.arena().usedPages();
        fake.requests.clear();
    }

    @AfterEach
    void nothingIsLeft() {
        assertNothingMoreIsHeld();
        device.close();
        assertThat(fake.iommu.mappings()).isZero();
    }

    private void assertNothingMoreIsHeld() {
        assertThat(device.dma().reachableBytes()).isEqualTo(reachableBefore);
        assertThat(device.arena().usedPages()).isEqualTo(pagesBefore);
    }

    private CreateMrRequest request(final int index) {
        return new CreateMrRequest().wrap(fake.requests.get(index), 0);
    }

    private RegionPages list(final int offset, final long length, final int... pages) {
        return device.mapPages(pages.length, page -> base + (long) pages[page] * PAGE, page -> memory, offset, length);
    }

    private void assertDeviceFinds(final CreateMrRequest request, final int... pages) {
        for (int i = 0; i < pages.length; i++) {
            memory.put(pages[i] * PAGE + 7, (byte) (i + 1));
            assertThat(fake.page(request.get(PDIR_DMA), i).getByte(7)).as("page %d", i).isEqualTo((byte) (i + 1));
        }
    }

    @Test
    void theDeviceFindsPagesInTheOrderOfTheList() {
        open();
        try (RegionPages pages = list(0x200, 10_000, 6, 1, 3);
            MemoryRegistration region = device.register(pd, pages, 0x141200, 0x1f)) {
            assertThat(request(0).get(START)).isEqualTo(0x141200);
            assertThat(request(0).get(LENGTH)).isEqualTo(10_000);
            assertThat(request(0).get(NCHUNKS)).isEqualTo(3);
            assertThat(request(0).get(ACCESS_FLAGS)).isEqualTo(0x1f);
            assertDeviceFinds(request(0), 6, 1, 3);
            assertThat(region.iova()).isEqualTo(0x141200);
            assertThat(region.address()).isEqualTo(base + 6 * PAGE + 0x200);
            assertThat(region.length()).isEqualTo(10_000);
            assertThat(pages.address()).isEqualTo(region.address());
            assertThat(pages.length()).isEqualTo(10_000);
            assertThat(pages.pages()).isEqualTo(3);
            assertThat(pages.toString()).contains("length=10000", "pages=3");
            assertThat(region.toString()).contains("iova=0x141200");
        }
    }

    @Test
    void thePagesCanComeSeveralTimes() {
        open();
        try (RegionPages pages = list(0, 4 * PAGE, 2, 0, 2, 2);
            MemoryRegistration region = device.register(pd, pages, 0x4000, 1)) {
            memory.put(2 * PAGE, (byte) 99);
            for (final int page : new int[]{0, 2, 3}) {
                assertThat(fake.page(request(0).get(PDIR_DMA), page).getByte(0)).isEqualTo((byte) 99);
            }
            assertThat(region.isMapped()).isTrue();
        }
    }

    @Test
    void aZeroBasedRegionTellsTheDeviceOnlyThePlaceInThePage() {
        open();
        try (RegionPages pages = device.mapRange(base + 100, 5000, memory);
            MemoryRegistration region = device.register(pd, pages, 100, AccessFlags.PVRDMA_ZERO_BASED)) {
            assertThat(request(0).get(START)).isEqualTo(100);
            assertThat(request(0).get(ACCESS_FLAGS)).isEqualTo(AccessFlags.PVRDMA_ZERO_BASED);
            assertThat(region.iova()).isZero();
            assertThat(region.address()).isEqualTo(base + 100);
        }
    }

    @Test
    void regionsShareDirectoryAndMappingUntilTheLastIsClosed() {
        open();
        final int[][] orders = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
        for (final int[] order : orders) {
            fake.requests.clear();
            final RegionPages pages = device.mapRange(base + 5, 3 * PAGE, memory);
            final AutoCloseable[] users = {
                device.register(pd, pages, 0x8005, 1), device.register(pd, pages, base + 5, 7), pages};
            assertThat(request(0).get(PDIR_DMA)).isEqualTo(request(1).get(PDIR_DMA)).isEqualTo(pages.pdirDma());
            assertThat(request(0).get(START)).isEqualTo(0x8005);
            assertThat(request(1).get(START)).isEqualTo(base + 5);
            for (int i = 0; i < 3; i++) {
                assertThat(pages.isMapped()).as("%d closed", i).isTrue();
                assertDoesNotThrow(users[order[i]]);
                assertDoesNotThrow(users[order[i]]);
            }
            assertThat(pages.isMapped()).isFalse();
            assertNothingMoreIsHeld();
            assertThatThrownBy(() -> device.register(pd, pages, base + 5, 1))
                .satisfies(e -> Errors.hasErrno(e, RdmaException.EBADFD)).hasMessageContaining("unmapped");
        }
    }

    private static void assertDoesNotThrow(final AutoCloseable user) {
        assertThatCode(user::close).doesNotThrowAnyException();
    }

    @Test
    void aRefusedCommandLeavesTheOtherUsersAlone() {
        open();
        final RegionPages pages = list(0, 2 * PAGE, 3, 1);
        final MemoryRegistration region = device.register(pd, pages, 0, 1);
        pages.close();
        fake.errors.put(Command.CREATE_MR, -12);
        assertThatThrownBy(() -> device.register(pd, pages, 0x1000, 1))
            .satisfies(e -> Errors.hasErrno(e, RdmaException.ENOMEM));
        assertThat(region.isMapped()).isTrue();
        assertDeviceFinds(request(0), 3, 1);
        region.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aMappingThatIsRefusedHalfWayLeavesNothing(final int refused) {
        open();
        fake.iommu.refuseMap(refused);
        assertThatThrownBy(() -> device.mapPages(3, page -> base + page * 2L * PAGE, page -> null, 0, 3 * PAGE))
            .hasMessageContaining("refused by the test");
        assertNothingMoreIsHeld();
    }

    @ParameterizedTest
    @CsvSource({
        "2, 0, 0, length 0",
        "2, 0, -5, length -5",
        "2, -1, 5000, offset -1",
        "2, 4096, 5000, offset 4096",
        "2, 0, 4096, 2 pages",
        "2, 4095, 4098, need 3",
        "2, 0, 0x40000001, 262145 pages"})
    void refusesNumbersThatDoNotFit(final int count, final int offset, final String length, final String why) {
        open();
        assertThatThrownBy(() -> device.mapPages(count, page -> base + page * (long) PAGE, page -> null, offset,
            Long.decode(length))).satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL)).hasMessageContaining(why);
        assertThat(fake.requests).isEmpty();
    }

    @Test
    void refusesIovasThatDoNotFit() {
        open();
        try (RegionPages pages = device.mapRange(base + 100, 5000, memory)) {
            assertThatThrownBy(() -> device.register(pd, pages, 0x1000, 1))
                .satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL)).hasMessageContaining("byte 100 of its page");
            assertThatThrownBy(() -> device.register(pd, pages, -4096 + 100, 1))
                .satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL)).hasMessageContaining("wraps around");
            device.register(pd, pages, -8192 + 100, 1).close();
        }
    }

    @Test
    void qemuGetsWholePagesButNeverTheFirst() {
        fake.qemu();
        open();
        try (RegionPages pages = list(0x200, 10_000, 6, 1, 3)) {
            try (MemoryRegistration region = device.register(pd, pages, 0x141200, 1)) {
                assertThat(request(0).get(START)).isEqualTo(0x141000);
                assertThat(request(0).get(LENGTH)).isEqualTo(3 * PAGE);
                assertThat(region.iova()).isEqualTo(0x141200);
                assertThat(region.length()).isEqualTo(10_000);
            }
            assertThatThrownBy(() -> device.register(pd, pages, 0x200, 1))
                .satisfies(e -> Errors.hasErrno(e, RdmaException.EINVAL)).hasMessageContaining("first page");
        }
    }

    @Test
    void staysMappedIfTheIommuObjects() {
        open();
        final RegionPages pages = list(0, 2 * PAGE, 3, 1);
        final MemoryRegistration region = device.register(pd, pages, 0, 1);
        region.close();
        fake.iommu.refuseUnmap(1);
        assertThatThrownBy(pages::close).hasMessageContaining("refused by the test");
        assertThat(pages.isMapped()).isTrue();
        pages.close();
        reachableBefore = device.dma().reachableBytes();
        assertThat(pages.isMapped()).isTrue();
    }
}
