/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Rlimit;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;

class PinningIommuTest {
    private final FakeIommu iommu = new FakeIommu();
    private final PagePins pins = new PagePins(new PagePins.Locker() {
        @Override
        public void lock(final long address, final long length) {
            iommu.log.add("lock");
            if (refusesLock) {
                throw RdmaException.of("mlock").detail("refused by the test").errno(RdmaException.ENOMEM).build();
            }
        }

        @Override
        public void unlock(final long address, final long length) {
            iommu.log.add("unlock");
        }
    }, new MemlockLimit(Path.of("/none"), Path.of("/none"), () -> new Rlimit(-1, -1)));
    private boolean refusesLock;
    private final IommuDmaDomain domain = new IommuDmaDomain(new PinningIommu(iommu, pins), new IovaAllocator(List.of(
        new IovaAllocator.Range(4096, 1L << 30))), "test:");

    @Test
    void pinsBeforeItMapsAndUnpinsAfterItUnmapped() {
        domain.allocate(8192).close();

        assertThat(iommu.log).containsExactly("lock", "map", "unmap", "unlock");
        assertThat(pins.pinnedBytes()).isZero();
    }

    @Test
    void countsWhatIsMappedMoreThanOnce() {
        final ByteBuffer memory = ByteBuffer.allocateDirect(64 << 10);
        final DmaMapping first = domain.map(BufferUtil.address(memory), 4096, null);
        final DmaMapping second = domain.map(BufferUtil.address(memory), 4096, null);

        assertThat(pins.pinnedBytes()).isEqualTo(first.length());
        first.close();
        assertThat(pins.pinnedBytes()).isEqualTo(second.length());
        second.close();
        assertThat(iommu.log).containsExactly("lock", "map", "lock", "map", "unmap", "unmap", "unlock");
    }

    @Test
    void aRefusedMappingIsNotPinned() {
        iommu.refuseMap(1);
        assertThatThrownBy(() -> domain.allocate(4096)).hasMessageContaining("refused by the test");
        assertThat(pins.pinnedBytes()).isZero();
    }

    @Test
    void staysPinnedAsLongAsTheDeviceReachesIt() {
        final DmaMemory memory = domain.allocate(4096);
        iommu.refuseUnmap(1);
        assertThatThrownBy(memory::close).hasMessageContaining("refused by the test");
        assertThat(pins.pinnedBytes()).isEqualTo(4096);
        domain.close();
        assertThat(pins.pinnedBytes()).isZero();
    }

    @Test
    void onDemandNothingIsPinned() {
        domain.mapOnDemand(1 << 20, 4096).close();
        assertThat(iommu.log).containsExactly("map on demand", "unmap");
        assertThat(pins.pinnedBytes()).isZero();
    }

    @Test
    void aRefreshPinsWhatIsThereNowAndCountsNothing() {
        final ByteBuffer memory = ByteBuffer.allocateDirect(64 << 10);
        final DmaMapping mapping = domain.map(BufferUtil.address(memory), 4096, null);
        final long pinned = pins.pinnedBytes();
        mapping.refresh(mapping.pageAddress(), 4096, true);
        assertThat(pins.pinnedBytes()).isEqualTo(pinned);
        mapping.close();
        assertThat(iommu.log).containsExactly("lock", "map", "lock", "refresh", "unmap", "unlock");
        assertThat(pins.pinnedBytes()).isZero();
    }

    @Test
    void whatCannotBePinnedAgainIsNotReachedAndIsUnpinnedOnce() {
        final ByteBuffer memory = ByteBuffer.allocateDirect(64 << 10);
        final DmaMapping mapping = domain.map(BufferUtil.address(memory), 4096, null);
        refusesLock = true;
        assertThatThrownBy(() -> mapping.refresh(mapping.pageAddress(), 4096, true))
            .hasMessageContaining("refused by the test");
        mapping.close();
        assertThat(iommu.log).containsExactly("lock", "map", "lock", "suspend", "unmap", "unlock");
        assertThat(pins.pinnedBytes()).isZero();
    }
}
