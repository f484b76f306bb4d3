/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.libc.Rlimit;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

import org.agrona.BufferUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PageMappingsTest {
    private static final int PAGE = 4096;

    private final FakeIommu iommu = new FakeIommu();
    private final IommuDmaDomain domain = new IommuDmaDomain(iommu, iovas(), "test:");
    private final ByteBuffer memory = ByteBuffer.allocateDirect(101 * PAGE).alignedSlice(PAGE);
    private final long base = BufferUtil.address(memory);

    private static IovaAllocator iovas() {
        return new IovaAllocator(List.of(new IovaAllocator.Range(1L << 32, (1L << 40) - 1)));
    }

    @AfterEach
    void closes() {
        domain.close();
    }

    private PageMappings map(final Object owner, final int... pages) {
        return PageMappings.ofPages(domain, pages.length, i -> base + (long) pages[i] * PAGE, i -> owner);
    }

    private void assertFinds(final PageMappings mapped, final int... pages) {
        assertThat(mapped.pages()).isEqualTo(pages.length);
        for (int i = 0; i < pages.length; i++) {
            memory.put(pages[i] * PAGE + 9, (byte) (pages[i] + 1));
            assertThat(iommu.at(mapped.iova(i), PAGE).getByte(9)).as("page %d", i).isEqualTo((byte) (pages[i] + 1));
        }
    }

    @Test
    void aRangeIsOneMapping() {
        final PageMappings mapped = PageMappings.ofRange(domain, base + PAGE - 1, 2 * PAGE, null);
        assertFinds(mapped, 0, 1, 2);
        assertThat(iommu.mappings()).isEqualTo(1);
        mapped.close();
        assertThat(iommu.mappings()).isZero();
        assertThat(mapped.isReleased()).isTrue();
    }

    @Test
    void neighboursAreMappedTogetherInWhateverOrderTheyCome() {
        final PageMappings mapped = map(null, 7, 5, 6, 20, 8, 21, 40);
        assertFinds(mapped, 7, 5, 6, 20, 8, 21, 40);
        assertThat(iommu.mappings()).as("5 to 8, 20 to 21, 40").isEqualTo(3);
        assertThat(domain.reachableBytes()).isEqualTo(7 * PAGE);
        mapped.close();
        assertThat(iommu.mappings()).isZero();
    }

    @Test
    void aPageIsMappedOnceHoweverOftenItComes() {
        final PageMappings mapped = map(null, 3, 1, 3, 2, 3, 3);
        assertFinds(mapped, 3, 1, 3, 2, 3, 3);
        assertThat(iommu.mappings()).isEqualTo(1);
        assertThat(domain.reachableBytes()).isEqualTo(3 * PAGE);
        mapped.close();
    }

    @Test
    void pagesOfDifferentOwnersAreMappedApart() {
        final Object[] owners = {"a", null, "a", "b"};
        final int[] pages = {1, 2, 0, 3};
        final PageMappings mapped =
            PageMappings.ofPages(domain, 4, i -> base + (long) pages[i] * PAGE, i -> owners[i]);
        assertFinds(mapped, pages);
        assertThat(iommu.mappings()).isEqualTo(3);
        assertThat(iommu.owner(mapped.iova(0))).isEqualTo("a");
        assertThat(iommu.owner(mapped.iova(1))).isNull();
        assertThat(iommu.owner(mapped.iova(2))).isEqualTo("a");
        assertThat(iommu.owner(mapped.iova(3))).isEqualTo("b");
        mapped.close();
    }

    @Test
    void pagesOfABufferShareTheMappingsOfItsOtherRegions() {
        final PageMappings range = PageMappings.ofRange(domain, base, 100 * PAGE, memory);
        final int mappings = iommu.mappings();
        final PageMappings list = map(memory, 50, 3, 99);
        assertFinds(list, 50, 3, 99);
        assertThat(iommu.mappings()).isEqualTo(mappings);
        range.close();
        assertThat(list.isReleased()).isFalse();
        assertFinds(list, 50, 3, 99);
        list.close();
        assertThat(iommu.mappings()).isZero();
    }

    @Test
    void holdsARangeIfAllOfItsPagesAreHere() {
        final PageMappings mapped = map(null, 5, 6, 8, 9);
        assertThat(mapped.hold(base + 5 * PAGE, 2 * PAGE)).isTrue();
        assertThat(mapped.hold(base + 6 * PAGE, PAGE)).isTrue();
        assertThat(mapped.hold(base + 9 * PAGE, PAGE)).isTrue();
        assertThat(mapped.hold(base + 4 * PAGE, 2 * PAGE)).as("one page too early").isFalse();
        assertThat(mapped.hold(base + 5 * PAGE, 3 * PAGE)).as("over the gap").isFalse();
        assertThat(mapped.hold(base + 7 * PAGE, PAGE)).as("the gap").isFalse();
        assertThat(mapped.hold(base + 8 * PAGE, 3 * PAGE)).as("one page too far").isFalse();
        mapped.close();
    }

    @Test
    void holdsARangeOverSeveralMappings() {
        final Object[] owners = {"a", "b", "a"};
        final PageMappings mapped = PageMappings.ofPages(domain, 3, i -> base + i * PAGE, i -> owners[i]);
        assertThat(iommu.mappings()).isEqualTo(3);
        assertThat(mapped.hold(base, 3 * PAGE)).isTrue();
        assertThat(mapped.hold(base + PAGE, 2 * PAGE)).isTrue();
        assertThat(mapped.hold(base, 4 * PAGE)).isFalse();
        mapped.close();
    }

    @Test
    void refreshesWhatIsInEachMappingAndNoMore() {
        final PageMappings mapped = map(null, 1, 2, 3, 6, 7, 10);
        mapped.refresh(base + 2 * PAGE, 5 * PAGE, true);
        assertThat(iommu.refreshed).containsExactlyInAnyOrder(
            new FakeIommu.Refreshed(base + 2 * PAGE, 2 * PAGE, true),
            new FakeIommu.Refreshed(base + 6 * PAGE, PAGE, true));
        iommu.refreshed.clear();
        mapped.refresh(base + 4 * PAGE, 2 * PAGE, false);
        assertThat(iommu.refreshed).as("nothing is mapped there").isEmpty();
        mapped.refresh(base, 20 * PAGE, false);
        assertThat(iommu.refreshed).containsExactlyInAnyOrder(
            new FakeIommu.Refreshed(base + PAGE, 3 * PAGE, false),
            new FakeIommu.Refreshed(base + 6 * PAGE, 2 * PAGE, false),
            new FakeIommu.Refreshed(base + 10 * PAGE, PAGE, false));
        mapped.close();
    }

    @Test
    void oneRefusedRefreshLeavesTheOthers() {
        final PageMappings mapped = map(null, 1, 3, 5);
        iommu.refuseRefresh(2);
        assertThatThrownBy(() -> mapped.refresh(base, 20 * PAGE, true)).isInstanceOf(RdmaException.class);
        assertThat(iommu.refreshed).hasSize(2);
        mapped.close();
    }

    @Test
    void pagesOnDemandAreSuspendedAndResumedAsAWhole() {
        final int[] pages = {2, 3, 8};
        final PageMappings mapped = PageMappings.ofPagesOnDemand(domain, 3, i -> base + pages[i] * PAGE);
        assertThat(iommu.log).filteredOn("map on demand"::equals).hasSize(2);
        assertThat(mapped.iova(1) - mapped.iova(0)).isEqualTo(PAGE);
        mapped.suspend();
        assertThat(iommu.log).filteredOn("suspend"::equals).hasSize(2);
        mapped.resume();
        assertThat(iommu.refreshed).containsExactlyInAnyOrder(
            new FakeIommu.Refreshed(base + 2 * PAGE, 2 * PAGE, false),
            new FakeIommu.Refreshed(base + 8 * PAGE, PAGE, false));
        mapped.close();
    }

    @Test
    void nothingStaysMappedIfOneRunIsRefused() {
        for (int refused = 1; refused <= 4; refused++) {
            iommu.refuseMap(refused);
            assertThatThrownBy(() -> map(null, 9, 2, 5, 7)).isInstanceOf(RdmaException.class)
                .hasMessageContaining("refused by the test");
            assertThat(iommu.mappings()).isZero();
            assertThat(domain.reachableBytes()).isZero();
        }
    }

    @Test
    void whatCanBeUnmappedIsIfOneRunIsRefused() {
        final PageMappings mapped = map(null, 9, 2, 5, 7);
        iommu.refuseUnmap(2);
        assertThatThrownBy(mapped::close).isInstanceOf(RdmaException.class).hasMessageContaining("refused");
        assertThat(iommu.mappings()).isEqualTo(1);
        assertThat(mapped.isReleased()).isFalse();
        mapped.close();
        assertThat(mapped.toString()).contains("pages=4", "mappings=4");
    }

    @Test
    void everyPageIsPinnedUntilItsLastUserGoes() {
        final PagePins pins = new PagePins(new PagePins.Locker() {
            @Override
            public void lock(final long address, final long length) {
                // The counts tell.
            }

            @Override
            public void unlock(final long address, final long length) {
                // The counts tell.
            }
        }, new MemlockLimit(Path.of("/none"), Path.of("/none"), () -> new Rlimit(-1, -1)));
        final FakeIommu translating = new FakeIommu();
        try (IommuDmaDomain pinning = new IommuDmaDomain(new PinningIommu(translating, pins),
            iovas(), "test:")) {
            final int[] pages = {4, 2, 4, 9};
            final PageMappings list =
                PageMappings.ofPages(pinning, 4, i -> base + (long) pages[i] * PAGE, i -> null);
            final PageMappings range = PageMappings.ofRange(pinning, base + 3 * PAGE, 2 * PAGE, null);
            assertThat(pins.pinnedBytes()).as("2, 3, 4, 9").isEqualTo(4 * PAGE);
            assertThat(pins.count(base + 4 * PAGE)).isEqualTo(2);
            translating.refuseMap(2);
            assertThatThrownBy(() -> PageMappings.ofPages(pinning, 3, i -> base + 10L * i * PAGE, i -> null))
                .isInstanceOf(RdmaException.class);
            assertThat(pins.pinnedBytes()).isEqualTo(4 * PAGE);
            list.close();
            assertThat(pins.pinnedBytes()).as("3, 4").isEqualTo(2 * PAGE);
            range.close();
            assertThat(pins.pinnedBytes()).isZero();
        }
    }
}
