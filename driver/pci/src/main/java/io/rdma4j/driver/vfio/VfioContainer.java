/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;

/**
 * An address space for DMA: {@code /dev/vfio/vfio}, with one IOMMU group in it. Thread-safe.
 */
final class VfioContainer implements AutoCloseable {
    private static final String OPERATION = "open VFIO container";

    private final VfioFile file;
    private final int backend;

    private VfioContainer(final VfioFile file, final int backend) {
        this.file = file;
        this.backend = backend;
    }

    /**
     * Opens a container and checks that the kernel speaks the interface that is spoken here.
     *
     * @param system  makes the calls.
     * @param path    of the container's file.
     * @param iommu   whether it is for a group behind an IOMMU.
     * @return the container, without a group and without an IOMMU.
     * @throws RdmaException if it cannot be opened, or EOPNOTSUPP for another interface.
     */
    static VfioContainer open(final VfioSystem system, final String path, final boolean iommu) {
        final VfioFile file = VfioFile.open(system, path);
        try (Undo undo = new Undo()) {
            undo.add(file::close);
            requireVersion(file);
            if (iommu) {
                requireType1(file);
            } else {
                requireNoIommuMode(file);
            }
            undo.forget();
        }
        return new VfioContainer(file, iommu ? VfioIoctls.VFIO_TYPE1v2_IOMMU : VfioIoctls.VFIO_NOIOMMU_IOMMU);
    }

    private static void requireVersion(final VfioFile file) {
        final int version = file.ioctl(VfioIoctls.VFIO_GET_API_VERSION, 0);
        if (version != VfioIoctls.VFIO_API_VERSION) {
            throw RdmaException.of(OPERATION).object(file)
                .detail("VFIO_GET_API_VERSION says %d, known is %d", version, VfioIoctls.VFIO_API_VERSION)
                .errno(RdmaException.EOPNOTSUPP).build();
        }
    }

    private static void requireType1(final VfioFile file) {
        if (file.ioctl(VfioIoctls.VFIO_CHECK_EXTENSION, VfioIoctls.VFIO_TYPE1v2_IOMMU) <= 0) {
            throw RdmaException.of(OPERATION).object(file)
                .detail("the kernel has no IOMMU backend of type 1, version 2")
                .errno(RdmaException.EOPNOTSUPP)
                .hint("load it: modprobe vfio_iommu_type1").build();
        }
    }

    private static void requireNoIommuMode(final VfioFile file) {
        if (file.ioctl(VfioIoctls.VFIO_CHECK_EXTENSION, VfioIoctls.VFIO_NOIOMMU_IOMMU) <= 0) {
            throw RdmaException.of(OPERATION).object(file)
                .detail("the kernel does not allow VFIO without an IOMMU")
                .errno(RdmaException.EOPNOTSUPP)
                .hint("allow it: echo 1 > /sys/module/vfio/parameters/enable_unsafe_noiommu_mode; a kernel without "
                    + "that file was built without CONFIG_VFIO_NOIOMMU").build();
        }
    }

    /**
     * Chooses the IOMMU backend; a group must be in the container.
     *
     * @throws RdmaException as the kernel says.
     */
    void setIommu() {
        file.ioctl(VfioIoctls.VFIO_SET_IOMMU, backend);
    }

    /** What the IOMMU can do now. */
    IommuInfo info() {
        return IommuInfo.read(file.query(VfioIoctls.VFIO_IOMMU_GET_INFO));
    }

    void map(final long iova, final long address, final long length) {
        file.ioctl(VfioIoctls.VFIO_IOMMU_MAP_DMA, DmaMap.of(address, iova, length));
    }

    /** Ends mappings and says how many bytes that were. */
    long unmap(final long iova, final long length) {
        final var struct = DmaUnmap.of(iova, length);
        file.ioctl(VfioIoctls.VFIO_IOMMU_UNMAP_DMA, struct);
        return DmaUnmap.size(struct);
    }

    VfioFile file() {
        return file;
    }

    /** With the last file of the container the kernel ends all mappings. */
    @Override
    public void close() {
        file.close();
    }

    @Override
    public String toString() {
        return "VfioContainer[" + file + ']';
    }
}
