/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.hw.layout.Layout;
import org.agrona.DirectBuffer;

/**
 * {@code struct vfio_device_info}: what kind of device it is, and how many regions and interrupt indices it has.
 *
 * @param flags      VFIO_DEVICE_FLAGS_*
 * @param numRegions highest region index, plus 1
 * @param numIrqs    highest interrupt index, plus 1
 */
record DeviceInfo(int flags, int numRegions, int numIrqs) {
    static final int NUM_REGIONS_OFFSET = 8;
    static final int NUM_IRQS_OFFSET = 12;
    /** Without cap_offset, of which nothing is needed. */
    static final int LENGTH = 16;

    /** The device offers VFIO_DEVICE_RESET. */
    static final int VFIO_DEVICE_FLAGS_RESET = 1;
    /** Region and interrupt indices are those of vfio-pci. */
    static final int VFIO_DEVICE_FLAGS_PCI = 1 << 1;

    static final Layout LAYOUT = Layout.of("vfio_device_info", LENGTH)
        .u32("argsz", Structs.ARGSZ_OFFSET)
        .u32("flags", Structs.FLAGS_OFFSET)
        .u32("num_regions", NUM_REGIONS_OFFSET)
        .u32("num_irqs", NUM_IRQS_OFFSET)
        .build();

    static DeviceInfo read(final DirectBuffer struct) {
        return new DeviceInfo(Structs.flags(struct), struct.getInt(NUM_REGIONS_OFFSET, LITTLE_ENDIAN),
            struct.getInt(NUM_IRQS_OFFSET, LITTLE_ENDIAN));
    }

    boolean isPci() {
        return (flags & VFIO_DEVICE_FLAGS_PCI) != 0;
    }

    boolean canReset() {
        return (flags & VFIO_DEVICE_FLAGS_RESET) != 0;
    }
}
