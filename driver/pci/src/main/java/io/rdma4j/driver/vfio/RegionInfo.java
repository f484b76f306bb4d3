/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * {@code struct vfio_region_info}: a window of the device inside its file.
 *
 * @param index  VFIO_PCI_*_REGION_INDEX
 * @param flags  VFIO_REGION_INFO_FLAG_*
 * @param size   bytes; 0 if the device has no such region
 * @param offset where it begins in the device's file
 * @param sparse the parts that can be mapped, if not all of it can; null if the kernel does not list parts
 */
record RegionInfo(int index, int flags, long size, long offset, List<Area> sparse) {
    static final int INDEX_OFFSET = 8;
    static final int CAP_OFFSET_OFFSET = 12;
    static final int SIZE_OFFSET = 16;
    static final int OFFSET_OFFSET = 24;
    static final int LENGTH = 32;

    static final int VFIO_REGION_INFO_FLAG_READ = 1;
    static final int VFIO_REGION_INFO_FLAG_WRITE = 1 << 1;
    static final int VFIO_REGION_INFO_FLAG_MMAP = 1 << 2;
    static final int VFIO_REGION_INFO_FLAG_CAPS = 1 << 3;

    /** Region of the configuration space; those of the BARs are 0 to 5. */
    static final int VFIO_PCI_CONFIG_REGION_INDEX = 7;

    static final int VFIO_REGION_INFO_CAP_SPARSE_MMAP = 1;
    static final int NR_AREAS_OFFSET = CapabilityChain.HEADER_LENGTH;
    static final int AREAS_OFFSET = 16;
    static final int AREA_OFFSET_OFFSET = 0;
    static final int AREA_SIZE_OFFSET = 8;
    static final int AREA_LENGTH = 16;

    static final Layout LAYOUT = Layout.of("vfio_region_info", LENGTH)
        .u32("argsz", Structs.ARGSZ_OFFSET)
        .u32("flags", Structs.FLAGS_OFFSET)
        .u32("index", INDEX_OFFSET)
        .u32("cap_offset", CAP_OFFSET_OFFSET)
        .u64("size", SIZE_OFFSET)
        .u64("offset", OFFSET_OFFSET)
        .build();

    static final Layout SPARSE_LAYOUT = Layout.of("vfio_region_info_cap_sparse_mmap", AREAS_OFFSET)
        .nested("header", 0, CapabilityChain.LAYOUT)
        .u32("nr_areas", NR_AREAS_OFFSET)
        .reserved(4)
        .build();

    /**
     * {@code struct vfio_region_sparse_mmap_area}.
     *
     * @param offset from the beginning of the region
     * @param size   bytes
     */
    record Area(long offset, long size) {
    }

    static RegionInfo read(final DirectBuffer struct) {
        final int flags = Structs.flags(struct);
        final long size = struct.getLong(SIZE_OFFSET, LITTLE_ENDIAN);
        return new RegionInfo(struct.getInt(INDEX_OFFSET, LITTLE_ENDIAN), flags, size,
            struct.getLong(OFFSET_OFFSET, LITTLE_ENDIAN), sparse(struct, flags, size));
    }

    private static List<Area> sparse(final DirectBuffer struct, final int flags, final long size) {
        final int at = (flags & VFIO_REGION_INFO_FLAG_CAPS) == 0 ? -1 : CapabilityChain.find(struct,
            struct.getInt(CAP_OFFSET_OFFSET, LITTLE_ENDIAN), VFIO_REGION_INFO_CAP_SPARSE_MMAP, 1, AREAS_OFFSET);
        if (at < 0) {
            return null;
        }
        final int array = at + AREAS_OFFSET;
        final int count = CapabilityChain.entries(
            struct, struct.getInt(at + NR_AREAS_OFFSET, LITTLE_ENDIAN), array, AREA_LENGTH);
        final List<Area> areas = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final long offset = struct.getLong(array + i * AREA_LENGTH + AREA_OFFSET_OFFSET, LITTLE_ENDIAN);
            final long length = struct.getLong(array + i * AREA_LENGTH + AREA_SIZE_OFFSET, LITTLE_ENDIAN);
            if (offset >= 0 && length > 0 && offset < size && length <= size - offset) {
                areas.add(new Area(offset, length));
            }
        }
        return List.copyOf(areas);
    }

    boolean exists() {
        return size > 0 && offset >= 0 && size <= Long.MAX_VALUE - offset;
    }

    boolean isReadable() {
        return (flags & VFIO_REGION_INFO_FLAG_READ) != 0;
    }

    boolean isWritable() {
        return (flags & VFIO_REGION_INFO_FLAG_WRITE) != 0;
    }

    /** The parts that can be mapped: what the kernel lists, which may be nothing; all of it if it lists none. */
    List<Area> mappable() {
        if ((flags & VFIO_REGION_INFO_FLAG_MMAP) == 0 || !exists()) {
            return List.of();
        }
        return sparse == null ? List.of(new Area(0, size)) : sparse;
    }
}
