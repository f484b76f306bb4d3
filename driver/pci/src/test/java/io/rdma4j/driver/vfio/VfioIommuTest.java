/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.Iommu;
import io.rdma4j.driver.sysfs.Memlock;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mapping, and why the kernel refuses it. */
class VfioIommuTest extends VfioFixture {
    private static final long IOVA = 0x10000;
    private static final long ADDRESS = 0x7f00_0000_0000L;

    private VfioContainer container;
    private VfioIommu iommu;

    @BeforeEach
    void opens() {
        container = VfioContainer.open(kernel, machine.root().resolve("dev/vfio/vfio").toString(), true);
        iommu = new VfioIommu(container, "IOMMU group 12", container.info());
    }

    @AfterEach
    void closes() {
        // What the kernel does with the last file of the container.
        kernel.mappings.clear();
        container.close();
        container.close();
    }

    private RdmaException refusal(final int errno) {
        kernel.errnos.put("VFIO_IOMMU_MAP_DMA", errno);
        return Assertions.catchThrowableOfType(
            RdmaException.class, () -> iommu.map(IOVA, ADDRESS, PAGE, null));
    }

    @Test
    void mapsAndUnmaps() {
        iommu.map(IOVA, ADDRESS, 2 * PAGE, null);
        assertThat(kernel.mappings).containsEntry(IOVA, 2L * PAGE);
        assertThat(iommu.mappings()).isEqualTo(1);
        iommu.unmap(IOVA, 2 * PAGE);
        assertThat(kernel.mappings).isEmpty();
        assertThat(iommu.mappings()).isZero();
    }

    @Test
    void refreshesByMappingAllOfItAgainAtTheSameAddress() {
        iommu.map(IOVA, ADDRESS, 2 * PAGE, null);
        kernel.dmaAvail = 1;
        iommu.refresh(new Iommu.Range(IOVA, ADDRESS, 2 * PAGE), ADDRESS + PAGE, PAGE, false);
        assertThat(kernel.mappings).containsExactly(Map.entry(IOVA, 2L * PAGE));
        iommu.unmap(IOVA, 2 * PAGE);
        assertThat(kernel.mappings).isEmpty();
    }

    @Test
    void whatCannotBeMappedAgainIsMendedOrClosedLater() {
        final Iommu.Range range = new Iommu.Range(IOVA, ADDRESS, PAGE);
        iommu.map(IOVA, ADDRESS, PAGE, null);
        kernel.errnos.put("VFIO_IOMMU_MAP_DMA", RdmaException.EFAULT);
        assertThatThrownBy(() -> iommu.refresh(range, ADDRESS, PAGE, true))
            .hasMessageContaining("4096 bytes at 0x7f0000000000 to bus address 0x10000, as before")
            .hasMessageContaining("EFAULT");
        assertThat(kernel.mappings).isEmpty();
        assertThatThrownBy(() -> iommu.refresh(range, ADDRESS, PAGE, true)).hasMessageContaining("EFAULT");
        kernel.errnos.clear();
        iommu.refresh(range, ADDRESS, PAGE, true);
        assertThat(kernel.mappings).containsEntry(IOVA, (long) PAGE);
        iommu.suspend(range);
        iommu.suspend(range);
        assertThat(kernel.mappings).isEmpty();
        iommu.unmap(IOVA, PAGE);
        assertThat(iommu.mappings()).isZero();
        iommu.map(IOVA, ADDRESS, PAGE, null);
        iommu.unmap(IOVA, PAGE);
        assertThat(kernel.mappings).isEmpty();
    }

    @Test
    void noticesThatLessWasUnmappedThanMapped() {
        iommu.map(IOVA, ADDRESS, 2 * PAGE, null);
        kernel.unmapsLess = PAGE;
        assertThatThrownBy(() -> iommu.unmap(IOVA, 2 * PAGE)).isInstanceOf(RdmaException.class)
            .hasMessageContaining("4096 of 8192 bytes").hasMessageContaining("EIO");
        assertThat(iommu.mappings()).as("still counts as mapped").isEqualTo(1);
    }

    @Test
    void holdsTheOwnerUntilItIsUnmapped() {
        final WeakReference<ByteBuffer> owner = mapOwned();
        System.gc();
        assertThat(owner.get()).isNotNull();
        iommu.unmap(IOVA, PAGE);
        for (int i = 0; i < 50 && owner.get() != null; i++) {
            System.gc();
        }
        assertThat(owner.get()).isNull();
    }

    private WeakReference<ByteBuffer> mapOwned() {
        final ByteBuffer owner = ByteBuffer.allocateDirect(16);
        iommu.map(IOVA, ADDRESS, PAGE, owner);
        return new WeakReference<>(owner);
    }

    @Test
    void saysThatTheLimitOfLockedMemoryIsReached() {
        iommu = new VfioIommu(container, "IOMMU group 12", container.info(), () -> new Memlock(8192, 8192, false));
        assertThat(refusal(RdmaException.ENOMEM)).hasMessageContaining("RLIMIT_MEMLOCK is 8192 bytes")
            .hasMessageContaining("pinned already: VmLck: ")
            .hasMessageContaining("4096 bytes at 0x7f0000000000").hasMessageContaining("ulimit -l");
    }

    @ParameterizedTest
    @CsvSource({"8192,true,exempt", "9223372036854775807,false,unlimited"})
    void doesNotBlameALimitThatDoesNotHold(final long soft, final boolean isExempt, final String why) {
        iommu = new VfioIommu(container, "IOMMU group 12", container.info(), () -> new Memlock(soft, soft, isExempt));
        final RdmaException refusal = refusal(RdmaException.ENOMEM);
        assertThat(refusal).hasMessageContaining("the kernel's memory or the cgroup's limit").hasMessageContaining(why);
        assertThat(refusal.hint()).contains("memory.max").doesNotContain("ulimit");
    }

    @Test
    void theKernelRefusesWhatTheTestsSayItDoes() {
        iommu.map(IOVA, ADDRESS, 2 * PAGE, null);
        assertThatThrownBy(() -> iommu.map(IOVA + PAGE, ADDRESS, PAGE, null))
            .hasMessageContaining("mapped at that bus address already");
        assertThatThrownBy(() -> iommu.map(0xfee0_0000L, ADDRESS, PAGE, null))
            .hasMessageContaining("the IOMMU translates only");
        assertThatThrownBy(() -> iommu.map(0xfedf_f000L, ADDRESS, 2 * PAGE, null))
            .hasMessageContaining("the IOMMU translates only");
        iommu.map(0xfedf_f000L, ADDRESS, PAGE, null);
        assertThat(iommu.mappings()).isEqualTo(2);
    }

    @Test
    void saysThatMappingsAreUsedUp() {
        iommu.map(IOVA, ADDRESS, PAGE, null);
        kernel.dmaAvail = 1;
        assertThat(Assertions.catchThrowableOfType(
            RdmaException.class, () -> iommu.map(2 * IOVA, ADDRESS, PAGE, null)))
            .hasMessageContaining("has 1 mappings, the kernel allows 0 more")
            .hasMessageContaining("dma_entry_limit").extracting(RdmaException::errno).isEqualTo(RdmaException.ENOMEM);
    }

    @Test
    void saysThatTheMemoryIsNotThere() {
        assertThat(refusal(RdmaException.EFAULT)).hasMessageContaining("not all of that is mapped in this process");
    }

    @Test
    void saysWhatTheIommuTranslates() {
        assertThat(refusal(RdmaException.EINVAL)).hasMessageContaining("0x0..0xfedfffff")
            .hasMessageContaining("0xfef00000..0x7fffffffff");
    }

    @Test
    void saysThatTheAddressIsTaken() {
        assertThat(refusal(17)).hasMessageContaining("mapped at that bus address already");
        assertThat(iommu.mappings()).isZero();
    }

    @Test
    void passesOnWhatTheKernelAllows() {
        assertThat(iommu.maxMappings()).isEqualTo(65_535);
        kernel.dmaAvail = 7;
        assertThat(new VfioIommu(container, "IOMMU group 12", container.info()).maxMappings()).isEqualTo(7);
        assertThat(new VfioIommu(container, "", new IommuInfo(0x1000, IommuInfo.USUAL_RANGES, -1)).maxMappings())
            .isEqualTo(65_535);
        assertThat(iommu.isChargedToMemlock()).isTrue();
    }

    @Test
    void usesNothingOfAClosedContainer() {
        container.close();
        assertThatThrownBy(() -> iommu.map(IOVA, ADDRESS, PAGE, null)).hasMessageContaining("EBADFD");
    }
}
