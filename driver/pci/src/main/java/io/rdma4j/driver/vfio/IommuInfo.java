/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.driver.dma.IovaAllocator;
import io.rdma4j.hw.layout.Layout;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * {@code struct vfio_iommu_type1_info} and its capabilities: what the IOMMU translates. The migration capability is
 * passed over.
 *
 * @param pageSizes a bit for each size of page that can be mapped
 * @param ranges    bus addresses that can be used
 * @param dmaAvail  mappings that can still be made; -1 if the kernel does not say
 */
record IommuInfo(long pageSizes, List<IovaAllocator.Range> ranges, long dmaAvail) {
    static final int IOVA_PGSIZES_OFFSET = 8;
    static final int CAP_OFFSET_OFFSET = 16;
    static final int LENGTH = 24;

    static final int VFIO_IOMMU_INFO_PGSIZES = 1;
    static final int VFIO_IOMMU_INFO_CAPS = 1 << 1;

    static final int VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE = 1;
    static final int NR_IOVAS_OFFSET = CapabilityChain.HEADER_LENGTH;
    static final int IOVA_RANGES_OFFSET = 16;
    static final int START_OFFSET = 0;
    static final int END_OFFSET = 8;
    static final int RANGE_LENGTH = 16;

    static final int VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL = 3;
    static final int AVAIL_OFFSET = CapabilityChain.HEADER_LENGTH;
    static final int DMA_AVAIL_LENGTH = 12;

    static final Layout LAYOUT = Layout.of("vfio_iommu_type1_info", LENGTH)
        .u32("argsz", Structs.ARGSZ_OFFSET)
        .u32("flags", Structs.FLAGS_OFFSET)
        .u64("iova_pgsizes", IOVA_PGSIZES_OFFSET)
        .u32("cap_offset", CAP_OFFSET_OFFSET)
        .reserved(4)
        .build();

    static final Layout IOVA_RANGE_LAYOUT = Layout.of("vfio_iommu_type1_info_cap_iova_range", IOVA_RANGES_OFFSET)
        .nested("header", 0, CapabilityChain.LAYOUT)
        .u32("nr_iovas", NR_IOVAS_OFFSET)
        .reserved(4)
        .build();

    static final Layout DMA_AVAIL_LAYOUT = Layout.of("vfio_iommu_type1_info_dma_avail", DMA_AVAIL_LENGTH)
        .nested("header", 0, CapabilityChain.LAYOUT)
        .u32("avail", AVAIL_OFFSET)
        .build();

    /**
     * For kernels before 5.4, which name no ranges: what every IOMMU in use has, less the window to which x86 sends
     * interrupts.
     */
    static final List<IovaAllocator.Range> USUAL_RANGES = List.of(
        new IovaAllocator.Range(0, 0xfedf_ffffL), new IovaAllocator.Range(0xfef0_0000L, 0x7f_ffff_ffffL));

    private static final long SMALLEST_PAGE = 4096;
    private static final int CAP_VERSION = 1;

    static IommuInfo read(final DirectBuffer struct) {
        final int flags = Structs.flags(struct);
        final long pageSizes = (flags & VFIO_IOMMU_INFO_PGSIZES) == 0
            ? SMALLEST_PAGE : struct.getLong(IOVA_PGSIZES_OFFSET, LITTLE_ENDIAN);
        final int first = (flags & VFIO_IOMMU_INFO_CAPS) == 0 ? 0 : struct.getInt(CAP_OFFSET_OFFSET, LITTLE_ENDIAN);
        return new IommuInfo(pageSizes, ranges(struct, first), dmaAvail(struct, first));
    }

    private static List<IovaAllocator.Range> ranges(final DirectBuffer struct, final int first) {
        final int at = CapabilityChain.find(
            struct, first, VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE, CAP_VERSION, IOVA_RANGES_OFFSET);
        if (at < 0) {
            return USUAL_RANGES;
        }
        final int array = at + IOVA_RANGES_OFFSET;
        final int count = CapabilityChain.entries(
            struct, struct.getInt(at + NR_IOVAS_OFFSET, LITTLE_ENDIAN), array, RANGE_LENGTH);
        final List<IovaAllocator.Range> ranges = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final long start = struct.getLong(array + i * RANGE_LENGTH + START_OFFSET, LITTLE_ENDIAN);
            final long end = struct.getLong(array + i * RANGE_LENGTH + END_OFFSET, LITTLE_ENDIAN);
            if (Long.compareUnsigned(start, end) <= 0) {
                ranges.add(new IovaAllocator.Range(start, end));
            }
        }
        return List.copyOf(ranges);
    }

    private static long dmaAvail(final DirectBuffer struct, final int first) {
        final int at = CapabilityChain.find(
            struct, first, VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL, CAP_VERSION, DMA_AVAIL_LENGTH);
        return at < 0 ? -1 : Integer.toUnsignedLong(struct.getInt(at + AVAIL_OFFSET, LITTLE_ENDIAN));
    }

    /** Whether memory can be mapped in pages of 4 KiB: on some machines pages have 16 or 64. */
    boolean mapsSmallPages() {
        return (pageSizes & SMALLEST_PAGE) != 0;
    }
}
