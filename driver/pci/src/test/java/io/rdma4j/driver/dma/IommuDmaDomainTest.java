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

import java.nio.ByteBuffer;
import java.util.List;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IommuDmaDomainTest {
    private static final long BASE = 0x10_0000_0000L;

    private final FakeIommu iommu = new FakeIommu();
    private final IovaAllocator iovas =
        new IovaAllocator(List.of(new IovaAllocator.Range(BASE, BASE + (64 << 20) - 1)));
    private final IommuDmaDomain domain = new IommuDmaDomain(iommu, iovas, "test:");

    private static void hasErrno(final Throwable e, final int errno) {
        assertThat(e).isInstanceOfSatisfying(RdmaException.class,
            x -> assertThat(x.errno()).as("%s", x).isEqualTo(errno));
    }

    private void assertNothingIsLeft() {
        assertThat(domain.reachableBytes()).isZero();
        assertThat(iommu.mappings()).isZero();
        assertThat(iovas.freeBytes()).isEqualTo(iovas.capacity());
    }

    @Test
    void allocatesZeroedAlignedPagesThatTheDeviceSeesElsewhere() {
        try (DmaMemory memory = domain.allocate(5000)) {
            assertThat(memory.length()).isEqualTo(8192);
            assertThat(memory.address() % 4096).isZero();
            assertThat(memory.iova()).isEqualTo(BASE).isNotEqualTo(memory.address());
            assertThat(memory.buffer().getByte(8191)).isZero();

            memory.buffer().putInt(4096, 0x12345678);

            assertThat(iommu.at(memory.iova() + 4096, 4).getInt(0)).isEqualTo(0x12345678);
            assertThat(domain.reachableBytes()).isEqualTo(8192);
        }
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE})
    void refusesToAllocateLengthsOutOfRange(final long length) {
        assertThatThrownBy(() -> domain.allocate(length)).satisfies(e -> hasErrno(e, RdmaException.EINVAL));
        assertNothingIsLeft();
    }

    @Test
    void saysSoWhenBusAddressesAreExhausted() {
        assertThatThrownBy(() -> domain.allocate(65 << 20))
            .satisfies(e -> hasErrno(e, RdmaException.ENOMEM))
            .hasMessageContaining("67108864");
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @CsvSource({"0,1,1", "4095,1,1", "4095,2,2", "1,4096,2", "0,8192,2", "100,8192,3"})
    void mapsEveryPageThatARangeTouches(final int offset, final int length, final int pages) {
        final ByteBuffer memory = ByteBuffer.allocateDirect(5 * 4096);
        final long base = BufferUtil.address(memory) + 4095 & -4096;

        final Object owner = List.of(memory);
        try (DmaMapping mapping = domain.map(base + offset, length, owner)) {
            assertThat(mapping.pageAddress()).isEqualTo(base + offset & -4096);
            assertThat(mapping.length()).isEqualTo(pages * 4096L);
            assertThat(iommu.owner(mapping.iova())).isSameAs(owner);
            assertThat(domain.reachableBytes()).isEqualTo(pages * 4096L);
        }
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @CsvSource({"4096,0,22", "4096,-1,22", "-4096,10,22", "0x7fffffffffffe000,0x2000,22", "100,10,14"})
    void refusesToMapWhatIsNoRange(final String address, final String length, final int errno) {
        assertThatThrownBy(() -> domain.map(Long.decode(address), Long.decode(length), null))
            .satisfies(e -> hasErrno(e, errno));
        assertNothingIsLeft();
    }

    @Test
    void givesTheAddressBackWhenTheIommuRefuses() {
        iommu.refuseMap(1);

        assertThatThrownBy(() -> domain.allocate(4096)).hasMessageContaining("refused by the test");

        assertNothingIsLeft();
    }

    @Test
    void keepsWhatCouldNotBeUnmappedOutOfUse() {
        final DmaMemory memory = domain.allocate(4096);
        iommu.refuseUnmap(1);

        assertThatThrownBy(memory::close).hasMessageContaining("refused by the test");

        assertThat(domain.reachableBytes()).isEqualTo(4096);
        try (DmaMemory other = domain.allocate(4096)) {
            assertThat(other.iova()).isNotEqualTo(memory.iova());
        }
        domain.close();
        assertNothingIsLeft();
    }

    @Test
    void closeEndsEverythingAndLaterClosesAreHarmless() {
        final DmaMemory memory = domain.allocate(4096);
        final DmaMapping mapping = domain.map(memory.address(), 10, memory);

        domain.close();
        domain.close();
        memory.close();
        mapping.close();

        assertNothingIsLeft();
        memory.buffer().putLong(0, 1);
        assertThatThrownBy(() -> domain.allocate(1)).satisfies(e -> hasErrno(e, RdmaException.EBADFD));
        assertThatThrownBy(() -> domain.map(memory.address(), 1, null))
            .satisfies(e -> hasErrno(e, RdmaException.EBADFD));
        assertNothingIsLeft();
    }
}
