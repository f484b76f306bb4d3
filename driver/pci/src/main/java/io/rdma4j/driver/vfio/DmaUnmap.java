/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** {@code struct vfio_iommu_type1_dma_unmap}: ends it again; the kernel writes back how much that was. */
final class DmaUnmap {
    static final int IOVA_OFFSET = 8;
    static final int SIZE_OFFSET = 16;
    static final int LENGTH = 24;

    static final Layout LAYOUT = Layout.of("vfio_iommu_type1_dma_unmap", LENGTH)
        .u32("argsz", Structs.ARGSZ_OFFSET)
        .u32("flags", Structs.FLAGS_OFFSET)
        .u64("iova", IOVA_OFFSET)
        .u64("size", SIZE_OFFSET)
        .build();

    private DmaUnmap() {
    }

    static UnsafeBuffer of(final long iova, final long size) {
        final UnsafeBuffer struct = Structs.sized(LENGTH);
        struct.putLong(IOVA_OFFSET, iova, LITTLE_ENDIAN);
        struct.putLong(SIZE_OFFSET, size, LITTLE_ENDIAN);
        return struct;
    }

    static long size(final DirectBuffer struct) {
        return struct.getLong(SIZE_OFFSET, LITTLE_ENDIAN);
    }
}
