/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdma4j.driver.dma.IovaAllocator.Range;
import io.rdma4j.driver.libc.IoctlRequest;
import io.rdma4j.hw.layout.Layout;
import java.util.HexFormat;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The bytes of linux/vfio.h, written down by hand. */
class StructsTest {
    private static final HexFormat HEX = HexFormat.of();

    private static String hex(final UnsafeBuffer struct) {
        final byte[] bytes = new byte[struct.capacity()];
        struct.getBytes(0, bytes);
        return HEX.formatHex(bytes);
    }

    private static UnsafeBuffer bytes(final String... hex) {
        final byte[] bytes = HEX.parseHex(String.join("", hex).replace(" ", ""));
        final UnsafeBuffer struct = Structs.allocate(bytes.length);
        struct.putBytes(0, bytes);
        return struct;
    }

    private static String plain(final String... hex) {
        return String.join("", hex).replace(" ", "");
    }

    @Test
    void requestNumbersAreThoseOfTheHeader() {
        assertThat(List.of(VfioIoctls.VFIO_GET_API_VERSION, VfioIoctls.VFIO_CHECK_EXTENSION,
            VfioIoctls.VFIO_SET_IOMMU, VfioIoctls.VFIO_GROUP_GET_STATUS, VfioIoctls.VFIO_GROUP_SET_CONTAINER,
            VfioIoctls.VFIO_GROUP_UNSET_CONTAINER, VfioIoctls.VFIO_GROUP_GET_DEVICE_FD,
            VfioIoctls.VFIO_DEVICE_GET_INFO, VfioIoctls.VFIO_DEVICE_GET_REGION_INFO,
            VfioIoctls.VFIO_DEVICE_GET_IRQ_INFO, VfioIoctls.VFIO_DEVICE_SET_IRQS, VfioIoctls.VFIO_DEVICE_RESET,
            VfioIoctls.VFIO_IOMMU_GET_INFO, VfioIoctls.VFIO_IOMMU_MAP_DMA, VfioIoctls.VFIO_IOMMU_UNMAP_DMA))
            .extracting(IoctlRequest::number)
            .containsExactly(0x3b64L, 0x3b65L, 0x3b66L, 0x3b67L, 0x3b68L, 0x3b69L, 0x3b6aL, 0x3b6bL, 0x3b6cL, 0x3b6dL,
                0x3b6eL, 0x3b6fL, 0x3b70L, 0x3b71L, 0x3b72L);
    }

    @Test
    void layoutsHaveTheSizesOfTheHeader() {
        assertThat(List.of(GroupStatus.LAYOUT, DeviceInfo.LAYOUT, RegionInfo.LAYOUT, IrqInfo.LAYOUT, IrqSet.LAYOUT,
            DmaMap.LAYOUT, DmaUnmap.LAYOUT, IommuInfo.LAYOUT, CapabilityChain.LAYOUT, RegionInfo.SPARSE_LAYOUT,
            IommuInfo.IOVA_RANGE_LAYOUT, IommuInfo.DMA_AVAIL_LAYOUT))
            .extracting(Layout::length).containsExactly(8, 16, 32, 16, 20, 32, 24, 24, 8, 16, 16, 12);
    }

    @Test
    void writesADmaMap() {
        assertThat(hex(DmaMap.of(0x7f12_3456_7000L, 0x1_0000_2000L, 0x3000))).isEqualTo(plain(
            "20000000 03000000", "00705634127f0000", "0020000001000000", "0030000000000000"));
        assertThat(DmaMap.LAYOUT.format(DmaMap.of(0x1000, 0x2000, 0x3000), 0))
            .contains("vaddr", "0x1000", "iova", "0x2000", "size", "0x3000");
    }

    @Test
    void writesADmaUnmapAndReadsWhatWasUnmapped() {
        final UnsafeBuffer struct = DmaUnmap.of(0x1_0000_2000L, 0x3000);
        assertThat(hex(struct)).isEqualTo(plain("18000000 00000000", "0020000001000000", "0030000000000000"));
        assertThat(DmaUnmap.size(struct)).isEqualTo(0x3000);
    }

    @Test
    void writesAnIrqSet() {
        assertThat(hex(IrqSet.trigger(2, new int[] {7, 9, 300}))).isEqualTo(plain(
            "20000000 24000000 02000000 00000000 03000000", "07000000 09000000 2c010000"));
        assertThat(hex(IrqSet.disable(2))).isEqualTo(plain("14000000 21000000 02000000 00000000 00000000"));
    }

    @Test
    void readsADeviceInfo() {
        final DeviceInfo info = DeviceInfo.read(bytes("10000000 03000000 09000000 05000000"));
        assertThat(info).isEqualTo(new DeviceInfo(3, 9, 5));
        assertThat(info.isPci()).isTrue();
        assertThat(info.canReset()).isTrue();
        assertThat(new DeviceInfo(2, 9, 5).canReset()).isFalse();
    }

    @Test
    void readsAnIrqInfo() {
        final IrqInfo info = IrqInfo.read(bytes("10000000 09000000 02000000 03000000"));
        assertThat(info).isEqualTo(new IrqInfo(2, 9, 3));
        assertThat(info.usable()).isEqualTo(3);
        assertThat(new IrqInfo(2, 2, 3).usable()).as("without eventfds").isZero();
        assertThat(IrqInfo.read(bytes("10000000 01000000 02000000 ffffffff")).usable()).isZero();
    }

    @Test
    void readsARegionInfo() {
        final RegionInfo info = RegionInfo.read(bytes(
            "20000000 07000000 02000000 00000000", "0000800000000000", "0000000000020000"));
        assertThat(info).isEqualTo(new RegionInfo(2, 7, 0x800000, 0x20000000000L, null));
        assertThat(info.mappable()).containsExactly(new RegionInfo.Area(0, 0x800000));
        assertThat(new RegionInfo(2, 3, 0x1000, 0, null).mappable()).isEmpty();
        assertThat(new RegionInfo(2, 7, 0x1000, 0, List.of()).mappable()).as("a list of nothing").isEmpty();
    }

    @Test
    void readsSparseAreasAndLeavesOutThoseBeyondTheRegion() {
        final RegionInfo info = RegionInfo.read(bytes(
            "70000000 0f000000 00000000 20000000", "0040000000000000", "0000000000000000",
            "01000100 00000000 04000000 00000000",
            "0000000000000000 0010000000000000",
            "0030000000000000 0010000000000000",
            "0030000000000000 0110000000000000",
            "0050000000000000 0010000000000000"));
        assertThat(info.mappable()).containsExactly(
            new RegionInfo.Area(0, 0x1000), new RegionInfo.Area(0x3000, 0x1000));
    }

    @Test
    void sparseAreasEndWithTheBuffer() {
        final RegionInfo info = RegionInfo.read(bytes(
            "40000000 0f000000 00000000 20000000", "0040000000000000", "0000000000000000",
            "01000100 00000000 ffffffff 00000000",
            "0000000000000000 0010000000000000"));
        assertThat(info.sparse()).containsExactly(new RegionInfo.Area(0, 0x1000));
    }

    @Test
    void regionWhoseEndWrapsDoesNotExist() {
        assertThat(new RegionInfo(0, 7, Long.MAX_VALUE, 0x1000, List.of()).exists()).isFalse();
        assertThat(new RegionInfo(0, 7, -1, 0, List.of()).exists()).isFalse();
        assertThat(new RegionInfo(0, 7, 0, 0, List.of()).exists()).isFalse();
    }

    private static final String[] IOMMU_INFO = {
        "70000000 03000000", "0010204000000000", "18000000 00000000",
        // Migration: passed over.
        "02000100 30000000 00000000 00000000 ffffffffffffffff",
        "01000100 60000000 02000000 00000000",
        "0000000000000000 ffffdffe00000000", "0000f0fe00000000 ffffffff7f000000",
        "03000100 00000000 ffff0000 00000000"};

    @Test
    void readsAnIommuInfoAndItsChain() {
        final IommuInfo info = IommuInfo.read(bytes(IOMMU_INFO));
        assertThat(info).isEqualTo(new IommuInfo(0x40201000L,
            List.of(new Range(0, 0xfedf_ffffL), new Range(0xfef0_0000L, 0x7f_ffff_ffffL)), 65_535));
        assertThat(info.mapsSmallPages()).isTrue();
    }

    @Test
    void kernelThatSaysNothingGetsTheUsualRanges() {
        final IommuInfo info = IommuInfo.read(bytes("18000000 00000000", "0000000000000000", "00000000 00000000"));
        assertThat(info).isEqualTo(new IommuInfo(0x1000, IommuInfo.USUAL_RANGES, -1));
    }

    @Test
    void iommuOfLargePagesIsRecognised() {
        assertThat(IommuInfo.read(bytes("18000000 01000000", "0000010000000000", "00000000 00000000"))
            .mapsSmallPages()).isFalse();
    }

    @Test
    void chainThatRunsInACircleEnds() {
        final UnsafeBuffer info = bytes(IOMMU_INFO);
        info.putInt(96 + CapabilityChain.NEXT_OFFSET, 24);
        assertThat(CapabilityChain.find(info, 24, 99, 1, 8)).isEqualTo(-1);
        assertThat(IommuInfo.read(info).dmaAvail()).isEqualTo(65_535);
    }

    @Test
    void chainThatLeavesTheBufferEnds() {
        for (final int next : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 112, 105, 1 << 20}) {
            final UnsafeBuffer info = bytes(IOMMU_INFO);
            info.putInt(48 + CapabilityChain.NEXT_OFFSET, next);
            assertThat(IommuInfo.read(info).dmaAvail()).as("next %d", next).isEqualTo(-1);
            info.putInt(IommuInfo.CAP_OFFSET_OFFSET, next);
            assertThat(IommuInfo.read(info).ranges()).as("first %d", next).isEqualTo(IommuInfo.USUAL_RANGES);
        }
    }

    @Test
    void capabilityWhoseFixedPartIsCutOffIsNotThere() {
        final UnsafeBuffer info = bytes("18000000 02000000", "0010000000000000", "10000000 00000000");
        info.putShort(16, (short) 3);
        info.putShort(18, (short) 1);
        info.putInt(20, 0);
        assertThat(CapabilityChain.find(info, 16, 3, 1, IommuInfo.DMA_AVAIL_LENGTH)).isEqualTo(-1);
        assertThat(CapabilityChain.find(info, 16, 3, 1, 8)).isEqualTo(16);
    }

    @Test
    void capabilityOfAnotherVersionIsNotRead() {
        final UnsafeBuffer info = bytes(IOMMU_INFO);
        info.putShort(96 + CapabilityChain.VERSION_OFFSET, (short) 2);
        assertThat(IommuInfo.read(info).dmaAvail()).isEqualTo(-1);
    }

    @Test
    void rangesEndWithTheBufferAndEmptyOnesAreLeftOut() {
        final UnsafeBuffer info = bytes(IOMMU_INFO);
        info.putInt(56, -1);
        info.putLong(64, 0x1000);
        info.putLong(72, 0xfff);
        assertThat(IommuInfo.read(info).ranges())
            .startsWith(new Range(0xfef0_0000L, 0x7f_ffff_ffffL)).hasSizeLessThan(4);
    }
}
