/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.device.common.Counters;
import io.rdma4j.driver.dma.Iommu;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.hw.pvrdma.Pdir;

import java.util.concurrent.atomic.AtomicInteger;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A driver that nobody trusts names addresses on demand, of which nothing is mapped, where the device touches memory
 * itself: none of these may end the process. And mappings that lose their pages for a while.
 */
class OnDemandTableTest {
    private static final int PAGE = Pdir.PAGE_SIZE;
    private static final int ANONYMOUS = LibcConstants.MAP_PRIVATE | LibcConstants.MAP_ANONYMOUS;
    private static final long DIRECTORY = 0x10_0000;
    private static final long TABLE = 0x20_0000;
    private static final long ORDINARY = 0x30_0000;
    private static final long ON_DEMAND = 0x40_0000;

    private final EmulatedIommu iommu = new EmulatedIommu(new Counters());
    private final UnsafeBuffer memory = new UnsafeBuffer(BufferUtil.allocateDirectAligned(3 * PAGE, PAGE));
    private final long nothing = Libc.mmap(0, 5L * PAGE, LibcConstants.PROT_NONE, ANONYMOUS, -1, 0);
    /**
     * Two pages with some before and one behind that stay: what is unmapped between them stays a hole, as nothing that
     * the JVM maps is so small; elsewhere the stack of a thread may come to lie there, and be written to.
     */
    private final long fenced = nothing + 2L * PAGE;
    private final AtomicInteger gracePeriods = new AtomicInteger();

    @BeforeEach
    void map() {
        final long[] iovas = {DIRECTORY, TABLE, ORDINARY};
        for (int i = 0; i < iovas.length; i++) {
            iommu.map(iovas[i], memory.addressOffset() + (long) i * PAGE, PAGE, memory);
        }
        iommu.mapOnDemand(ON_DEMAND, nothing, 2L * PAGE);
        iommu.busMaster(true);
        iommu.gracePeriod(gracePeriods::incrementAndGet);
        memory.putLong(0, TABLE);
    }

    @AfterEach
    void unmap() {
        Libc.munmap(nothing, 5L * PAGE);
    }

    private static void mapAt(long address, long length) {
        Libc.mmap(address, length, LibcConstants.PROT_READ | LibcConstants.PROT_WRITE,
            ANONYMOUS | LibcConstants.MAP_FIXED, -1, 0);
    }

    private void list(long... pages) {
        for (int i = 0; i < pages.length; i++) {
            memory.putLong(PAGE + i * Pdir.ENTRY_LENGTH, pages[i]);
        }
    }

    @Test
    void isForRegionsOnDemandOnly() {
        list(ON_DEMAND, ON_DEMAND + PAGE);
        final PageTable table = PageTable.walkOnDemand(iommu, DIRECTORY, 2);
        assertThat(table.mayFault()).isTrue();
        assertThat(table.isCurrent()).isTrue();
        assertThat(table.host(PAGE + 5)).isEqualTo(nothing + PAGE + 5);
        assertThatThrownBy(() -> PageTable.walk(iommu, DIRECTORY, 2)).isInstanceOf(DmaFault.class);
        assertThatThrownBy(() -> PageTable.walkRegion(iommu, DIRECTORY, 2, 2)).isInstanceOf(DmaFault.class);
        assertThat(PageTable.refillable(iommu, 2).refill(DIRECTORY, 2)).isFalse();
        assertThat(PageTable.direct(iommu).reaches(ON_DEMAND, 1)).isFalse();
        assertThat(PageTable.direct(iommu).host(ON_DEMAND)).isZero();
        iommu.unmap(ON_DEMAND, 2L * PAGE);
        assertThat(table.isCurrent()).isFalse();
    }

    @Test
    void ordinaryPagesAreNoPagesOnDemand() {
        list(ORDINARY);
        assertThatThrownBy(() -> PageTable.walkOnDemand(iommu, DIRECTORY, 1)).isInstanceOf(DmaFault.class);
        list(ON_DEMAND, ORDINARY);
        assertThatThrownBy(() -> PageTable.walkOnDemand(iommu, DIRECTORY, 2)).isInstanceOf(DmaFault.class);
        list(ORDINARY);
        assertThat(PageTable.walk(iommu, DIRECTORY, 1).mayFault()).isFalse();
    }

    @Test
    void directoriesAndTablesAreReadFromOrdinaryPages() {
        assertThatThrownBy(() -> PageTable.walkOnDemand(iommu, ON_DEMAND, 1)).isInstanceOf(DmaFault.class);
        assertThatThrownBy(() -> iommu.translate(ON_DEMAND, 8)).isInstanceOf(DmaFault.class);
        memory.putLong(0, ON_DEMAND);
        assertThatThrownBy(() -> PageTable.walkOnDemand(iommu, DIRECTORY, 1)).isInstanceOf(DmaFault.class);
        assertThat(PageTable.refillable(iommu, 1).refill(DIRECTORY, 1)).isFalse();
        assertThat(PageTable.refillable(iommu, 1).refill(ON_DEMAND, 1)).isFalse();
    }

    @Test
    void copiesFailWhereThereIsNothing() {
        list(ON_DEMAND, ON_DEMAND + PAGE);
        final DmaList missing = new DmaList(1);
        missing.add(PageTable.walkOnDemand(iommu, DIRECTORY, 2), 0, 2L * PAGE);
        missing.guard(null, 0);
        assertThat(missing.mayFault()).isTrue();
        list(ORDINARY);
        final DmaList there = new DmaList(1);
        there.add(PageTable.walk(iommu, DIRECTORY, 1), 0, PAGE);
        assertThat(DmaList.copy(missing, there, 8)).isEqualTo(DmaList.SOURCE_LOST);
        missing.rewind();
        there.rewind();
        assertThat(DmaList.copy(there, missing, 8)).isEqualTo(DmaList.TARGET_LOST);
        missing.rewind();
        assertThat(missing.putLong(1, memory.addressOffset() + 2 * PAGE)).isFalse();
        assertThat(PagedMemory.update(missing.host(), word -> { })).isFalse();
        missing.clear();
        assertThat(missing.mayFault()).isFalse();
    }

    /** Ordinary memory whose pages went away, and memory on demand: the error is for who broke the promise. */
    @Test
    void theEndThatIsMissingIsNamedThoughTheOtherIsOnDemand() {
        final long ordinary = fenced;
        mapAt(ordinary, PAGE);
        final long demanded = memory.addressOffset() + 2L * PAGE;
        assertThat(PagedMemory.copy(ordinary, false, demanded, true, 16)).isEqualTo(DmaList.COPIED);
        assertThat(PagedMemory.copy(demanded, true, ordinary, false, 16)).isEqualTo(DmaList.COPIED);
        assertThat(PagedMemory.copy(ordinary, false, nothing, true, 16)).isEqualTo(DmaList.TARGET_LOST);
        assertThat(PagedMemory.copy(nothing, true, ordinary, false, 16)).isEqualTo(DmaList.SOURCE_LOST);
        Libc.munmap(ordinary, PAGE);
        assertThat(PagedMemory.copy(ordinary, false, demanded, true, 16)).isEqualTo(DmaList.SOURCE_LOST);
        assertThat(PagedMemory.copy(demanded, true, ordinary, false, 16)).isEqualTo(DmaList.TARGET_LOST);
    }

    @Test
    void aMappingWithoutItsPagesIsSuspendedAndMended() {
        final long pages = fenced;
        mapAt(pages, 2L * PAGE);
        final Iommu.Range range = new Iommu.Range(0x60_0000, pages, 2L * PAGE);
        iommu.map(range.iova(), pages, range.length(), this);
        list(range.iova(), range.iova() + PAGE);
        final PageTable table = PageTable.walk(iommu, DIRECTORY, 2);
        iommu.refresh(range, pages, PAGE, true);
        assertThat(table.isCurrent()).isTrue();
        assertThat(gracePeriods).as("nothing stood still").hasValue(0);
        Libc.munmap(pages + PAGE, PAGE);
        iommu.refresh(range, pages, PAGE, true);
        assertThatThrownBy(() -> iommu.refresh(range, pages + PAGE, PAGE, true))
            .isInstanceOfSatisfying(RdmaException.class, e -> assertThat(e.errno()).isEqualTo(RdmaException.EFAULT))
            .hasMessageContaining("0x" + Long.toHexString(pages + PAGE));
        assertThat(gracePeriods).as("what was under way is over").hasValue(1);
        assertThat(table.isCurrent()).isFalse();
        assertThatThrownBy(() -> PageTable.walk(iommu, DIRECTORY, 2)).isInstanceOf(DmaFault.class);
        assertThatThrownBy(() -> iommu.refresh(range, pages, PAGE, true)).as("all of it has to be there")
            .isInstanceOf(RdmaException.class);
        mapAt(pages + PAGE, PAGE);
        iommu.refresh(range, pages, PAGE, true);
        assertThat(table.isCurrent()).isTrue();
        iommu.suspend(range);
        iommu.unmap(range.iova(), range.length());
        assertThat(table.isCurrent()).isFalse();
        assertThatThrownBy(() -> iommu.refresh(range, pages, PAGE, true)).hasMessageContaining("no mapping is exactly");
    }
}
