/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.DmaArena;
import io.rdma4j.driver.dma.DmaPages;
import io.rdma4j.driver.dma.FakeIommu;
import io.rdma4j.driver.dma.IommuDmaDomain;
import io.rdma4j.driver.dma.IovaAllocator;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.hw.pvrdma.Pdir;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntToLongFunction;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PageDirectoryTest {
    private static final long BASE = 0x7000_0000L;

    private final FakeIommu iommu = new FakeIommu();
    private final IommuDmaDomain domain = new IommuDmaDomain(iommu,
        new IovaAllocator(List.of(new IovaAllocator.Range(BASE, BASE + (64 << 20) - 1))), "test:");
    private final DmaArena arena = new DmaArena(domain);

    @AfterEach
    void nothingIsLeft() {
        assertThat(arena.usedPages()).isZero();
        arena.close();
        assertThat(domain.reachableBytes()).isZero();
    }

    /** Page numbers become addresses that differ in every half of the word. */
    private static long scattered(final int page) {
        return (0x1234_0000_0000L + page * 0x10_0001L) << 12;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 511, 512, 513, 1024, 1025, 262144})
    void aDeviceFindsEveryPageAndNoMore(final int pages) {
        try (PageDirectory directory = PageDirectory.build(arena, pages, PageDirectoryTest::scattered)) {
            assertThat(directory.pages()).isEqualTo(pages);
            final UnsafeBuffer dir = iommu.at(directory.pdirDma(), 4096);
            for (int table = 0; table < 512; table++) {
                final long tableDma = dir.getLong(table * 8, LITTLE_ENDIAN);
                final int first = table * 512;
                if (first >= pages) {
                    assertThat(tableDma).as("unused entry %d", table).isZero();
                } else {
                    checkTable(iommu.at(tableDma, 4096), first, pages);
                }
            }
        }
    }

    @Test
    void aRootPageLeadsToDirectoriesWhereOneIsNotEnough() {
        final int pages = Pdir.MAX_PAGES + 513;
        try (PageDirectory directory = PageDirectory.buildLarge(arena, pages, PageDirectoryTest::scattered)) {
            final UnsafeBuffer root = iommu.at(directory.pdirDma(), 4096);
            assertThat(root.getLong(16, LITTLE_ENDIAN)).as("entry behind the last").isZero();
            for (final int page : new int[] {0, 511, 512, Pdir.MAX_PAGES - 1, Pdir.MAX_PAGES, Pdir.MAX_PAGES + 1,
                Pdir.MAX_PAGES + 512}) {
                final long dir = root.getLong(Pdir.rootIndex(page) * 8, LITTLE_ENDIAN);
                final long table = iommu.at(dir, 4096).getLong(Pdir.dirIndex(page) * 8, LITTLE_ENDIAN);
                assertThat(iommu.at(table, 4096).getLong(Pdir.tableIndex(page) * 8, LITTLE_ENDIAN)).as("page %d", page)
                    .isEqualTo(scattered(page));
            }
            assertThat(iommu.at(root.getLong(8, LITTLE_ENDIAN), 4096).getLong(16, LITTLE_ENDIAN))
                .as("tables of the second directory").isZero();
            assertThat(directory.pages()).isEqualTo(pages);
        }
    }

    @Test
    void buildsNoRootPageForWhatOneDirectoryReaches() {
        try (PageDirectory directory = PageDirectory.buildLarge(arena, 513, PageDirectoryTest::scattered)) {
            final long table = iommu.at(directory.pdirDma(), 4096).getLong(8, LITTLE_ENDIAN);
            assertThat(iommu.at(table, 4096).getLong(0, LITTLE_ENDIAN)).isEqualTo(scattered(512));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Pdir.LARGE_MAX_PAGES + 1, Integer.MAX_VALUE})
    void refusesWhatARootPageCannotReach(final int pages) {
        assertThatThrownBy(() -> PageDirectory.buildLarge(arena, pages, PageDirectoryTest::scattered))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EINVAL));
    }

    private static void checkTable(final UnsafeBuffer table, final int first, final int pages) {
        for (int entry = 0; entry < 512; entry++) {
            final int page = first + entry;
            final long expected = page < pages ? scattered(page) : 0;
            final long seen = table.getLong(entry * 8, LITTLE_ENDIAN);
            if (seen != expected) {
                assertThat(seen).as("page %d of %d", page, pages).isEqualTo(expected);
            }
        }
    }

    @Test
    void describesArenaPagesAndMappings() {
        final ByteBuffer memory = ByteBuffer.allocateDirect(3 * 4096);
        try (DmaPages pages = arena.allocate(3);
            PageDirectory ofPages = PageDirectory.of(arena, pages);
            DmaMapping mapping = domain.map(BufferUtil.address(memory), memory.capacity(), memory);
            PageDirectory ofMapping = PageDirectory.of(arena, mapping)) {
            assertThat(page(ofPages, 2)).isEqualTo(pages.iova(2));
            assertThat(page(ofMapping, 1)).isEqualTo(mapping.iova() + 4096);
            assertThat(ofMapping.pages()).isEqualTo((int) (mapping.length() / 4096));
        }
    }

    private long page(final PageDirectory directory, final int page) {
        final long table = iommu.at(directory.pdirDma(), 8).getLong(0, LITTLE_ENDIAN);
        return iommu.at(table + page * 8L, 8).getLong(0, LITTLE_ENDIAN);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 262145, Integer.MAX_VALUE})
    void refusesWhatOneDirectoryCannotReach(final int pages) {
        assertThatThrownBy(() -> PageDirectory.build(arena, pages, PageDirectoryTest::scattered))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EINVAL))
            .hasMessageContaining("262144");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 4095, 4097})
    void refusesAddressesThatTheDeviceWouldMistake(final long bad) {
        final IntToLongFunction iovas = page -> page == 600 ? bad : scattered(page);

        assertThatThrownBy(() -> PageDirectory.build(arena, 700, iovas))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("page 600 of 700");
    }
}
