/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.driver.libc.IoctlRequest;

/**
 * The requests of {@code linux/vfio.h} that are used here. All are {@code _IO(VFIO_TYPE, VFIO_BASE + n)}: neither size
 * nor direction is part of the number, which is the same on x86-64 and aarch64; the argument's own {@code argsz} says
 * its size instead.
 */
final class VfioIoctls {
    /** What VFIO_GET_API_VERSION must answer. */
    static final int VFIO_API_VERSION = 0;
    /** For VFIO_CHECK_EXTENSION and VFIO_SET_IOMMU: mappings are unmapped as they were mapped, never in parts. */
    static final int VFIO_TYPE1v2_IOMMU = 3;
    /** For the same: nothing is mapped, and nothing translated. */
    static final int VFIO_NOIOMMU_IOMMU = 8;

    static final IoctlRequest VFIO_GET_API_VERSION = value("VFIO_GET_API_VERSION", 0);
    static final IoctlRequest VFIO_CHECK_EXTENSION = value("VFIO_CHECK_EXTENSION", 1);
    static final IoctlRequest VFIO_SET_IOMMU = value("VFIO_SET_IOMMU", 2);
    static final IoctlRequest VFIO_GROUP_GET_STATUS = struct("VFIO_GROUP_GET_STATUS", 3, GroupStatus.LENGTH);
    /** The argument points to the container's descriptor, an int. */
    static final IoctlRequest VFIO_GROUP_SET_CONTAINER = plain("VFIO_GROUP_SET_CONTAINER", 4, Integer.BYTES);
    static final IoctlRequest VFIO_GROUP_UNSET_CONTAINER = value("VFIO_GROUP_UNSET_CONTAINER", 5);
    /** The argument is the device's name, ended by a zero byte. */
    static final IoctlRequest VFIO_GROUP_GET_DEVICE_FD = plain("VFIO_GROUP_GET_DEVICE_FD", 6, 1);
    static final IoctlRequest VFIO_DEVICE_GET_INFO = struct("VFIO_DEVICE_GET_INFO", 7, DeviceInfo.LENGTH);
    static final IoctlRequest VFIO_DEVICE_GET_REGION_INFO =
        struct("VFIO_DEVICE_GET_REGION_INFO", 8, RegionInfo.LENGTH);
    static final IoctlRequest VFIO_DEVICE_GET_IRQ_INFO = struct("VFIO_DEVICE_GET_IRQ_INFO", 9, IrqInfo.LENGTH);
    static final IoctlRequest VFIO_DEVICE_SET_IRQS = struct("VFIO_DEVICE_SET_IRQS", 10, IrqSet.LENGTH);
    static final IoctlRequest VFIO_DEVICE_RESET = value("VFIO_DEVICE_RESET", 11);
    static final IoctlRequest VFIO_IOMMU_GET_INFO = struct("VFIO_IOMMU_GET_INFO", 12, IommuInfo.LENGTH);
    static final IoctlRequest VFIO_IOMMU_MAP_DMA = struct("VFIO_IOMMU_MAP_DMA", 13, DmaMap.LENGTH);
    static final IoctlRequest VFIO_IOMMU_UNMAP_DMA = struct("VFIO_IOMMU_UNMAP_DMA", 14, DmaUnmap.LENGTH);

    private static final int VFIO_TYPE = ';';
    private static final int VFIO_BASE = 100;

    private VfioIoctls() {
    }

    private static int number(final int n) {
        return VFIO_TYPE << 8 | VFIO_BASE + n;
    }

    private static IoctlRequest value(final String name, final int n) {
        return IoctlRequest.ofValue(name, number(n));
    }

    private static IoctlRequest plain(final String name, final int n, final int length) {
        return new IoctlRequest(name, number(n), length, false);
    }

    private static IoctlRequest struct(final String name, final int n, final int length) {
        return new IoctlRequest(name, number(n), length, true);
    }
}
