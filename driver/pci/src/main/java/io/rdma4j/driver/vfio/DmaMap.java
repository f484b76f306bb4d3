/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import org.agrona.concurrent.UnsafeBuffer;

/** {@code struct vfio_iommu_type1_dma_map}: makes memory reachable at a bus address. */
final class DmaMap {
    static final int VADDR_OFFSET = 8;
    static final int IOVA_OFFSET = 16;
    static final int SIZE_OFFSET = 24;
    static final int LENGTH = 32;

    static final int VFIO_DMA_MAP_FLAG_READ = 1;
    static final int VFIO_DMA_MAP_FLAG_WRITE = 1 << 1;

    static final Layout LAYOUT = Layout.of("vfio_iommu_type1_dma_map", LENGTH)
        .u32("argsz", Structs.ARGSZ_OFFSET)
        .u32("flags", Structs.FLAGS_OFFSET)
        .u64("vaddr", VADDR_OFFSET)
        .u64("iova", IOVA_OFFSET)
        .u64("size", SIZE_OFFSET)
        .build();

    private DmaMap() {
    }

    static UnsafeBuffer of(final long vaddr, final long iova, final long size) {
        final UnsafeBuffer struct = Structs.sized(LENGTH);
        struct.putInt(Structs.FLAGS_OFFSET, VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE, LITTLE_ENDIAN);
        struct.putLong(VADDR_OFFSET, vaddr, LITTLE_ENDIAN);
        struct.putLong(IOVA_OFFSET, iova, LITTLE_ENDIAN);
        struct.putLong(SIZE_OFFSET, size, LITTLE_ENDIAN);
        return struct;
    }
}
