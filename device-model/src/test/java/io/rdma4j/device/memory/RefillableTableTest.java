/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.device.common.Counters;
import io.rdma4j.hw.pvrdma.Pdir;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tables that are given pages again and again: they are current as long as all of the last pages are mapped. */
class RefillableTableTest {
    private static final int PAGE = Pdir.PAGE_SIZE;
    private static final long DIRECTORY = 0x10_0000;
    private static final long TABLE = 0x20_0000;
    private static final long FIRST = 0x30_0000;
    private static final long SECOND = 0x40_0000;
    private static final long OTHER = 0x50_0000;

    private final EmulatedIommu iommu = new EmulatedIommu(new Counters());
    private final UnsafeBuffer memory = new UnsafeBuffer(BufferUtil.allocateDirectAligned(5 * PAGE, PAGE));
    private final PageTable table = PageTable.refillable(iommu, 2);

    @BeforeEach
    void map() {
        final long[] iovas = {DIRECTORY, TABLE, FIRST, SECOND, OTHER};
        for (int i = 0; i < iovas.length; i++) {
            iommu.map(iovas[i], memory.addressOffset() + (long) i * PAGE, PAGE, memory);
        }
        iommu.busMaster(true);
        memory.putLong(0, TABLE);
    }

    private boolean refill(long... pages) {
        for (int i = 0; i < pages.length; i++) {
            memory.putLong(PAGE + i * Pdir.ENTRY_LENGTH, pages[i]);
        }
        return table.refill(DIRECTORY, pages.length);
    }

    @Test
    void isNotCurrentAnyMoreWhenOneOfItsPagesIsUnmapped() {
        assertThat(refill(FIRST, SECOND)).isTrue();
        assertThat(table.isCurrent()).isTrue();
        iommu.unmap(SECOND, PAGE);
        assertThat(table.isCurrent()).isFalse();
        iommu.map(SECOND, memory.addressOffset(), PAGE, memory);
        assertThat(table.isCurrent()).as("mapped anew").isFalse();
    }

    @Test
    void staysCurrentWhateverElseIsUnmapped() {
        assertThat(refill(FIRST, SECOND)).isTrue();
        iommu.unmap(OTHER, PAGE);
        iommu.unmap(TABLE, PAGE);
        assertThat(table.isCurrent()).isTrue();
        iommu.unmap(FIRST, PAGE);
        assertThat(table.isCurrent()).isFalse();
    }

    @Test
    void isReleasedForGood() {
        assertThat(refill(FIRST, SECOND)).isTrue();
        assertThat(table.words()).isPositive();
        table.release();
        assertThat(table.words()).isZero();
        assertThat(table.isCurrent()).isFalse();
        iommu.busMaster(false);
        iommu.busMaster(true);
        assertThat(table.isCurrent()).as("of another generation").isFalse();
    }

    @Test
    void isOfItsLastPagesOnly() {
        assertThat(refill(FIRST, SECOND)).isTrue();
        assertThat(refill(OTHER)).isTrue();
        assertThat(table.host(0)).isEqualTo(memory.addressOffset() + 4L * PAGE);
        iommu.unmap(FIRST, PAGE);
        assertThat(table.isCurrent()).isTrue();
        assertThat(refill(SECOND)).isTrue();
        iommu.unmap(OTHER, PAGE);
        assertThat(table.isCurrent()).isTrue();
        iommu.unmap(SECOND, PAGE);
        assertThat(table.isCurrent()).isFalse();
    }

    @Test
    void isNotCurrentWhileTheFunctionIsNoBusMaster() {
        assertThat(refill(FIRST)).isTrue();
        iommu.busMaster(false);
        assertThat(table.isCurrent()).isFalse();
        assertThat(refill(FIRST)).isFalse();
        iommu.busMaster(true);
        assertThat(refill(FIRST)).isTrue();
        assertThat(table.isCurrent()).isTrue();
    }

    @Test
    void isRefusedPagesThatAreNotMapped() {
        assertThat(refill(FIRST, SECOND)).isTrue();
        iommu.unmap(SECOND, PAGE);
        assertThat(refill(FIRST, SECOND)).isFalse();
        assertThat(refill(0)).isFalse();
        assertThat(refill(FIRST + 8)).isFalse();
        assertThat(refill(FIRST, OTHER)).isTrue();
        assertThat(table.isCurrent()).isTrue();
    }
}
