/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

/**
 * What translates the device's addresses: the kernel's IOMMU behind VFIO, or the table of a software device.
 * Implementations are thread-safe.
 */
public interface Iommu {
    /**
     * Makes memory of this process reachable for the device.
     *
     * @param iova    where the device shall see it; page-aligned, not 0, not mapped now.
     * @param address where this process sees it; page-aligned.
     * @param length  bytes, whole pages.
     * @param owner   what keeps the memory alive; to be held until {@link #unmap}; may be null for memory that nobody
     *                manages.
     * @throws io.rdma4j.RdmaException if the platform refuses; then nothing is mapped.
     */
    void map(long iova, long address, long length, Object owner);

    /**
     * Ends the device's access. When this returns the device reads and writes the memory no more.
     *
     * @param iova   as given to {@link #map}.
     * @param length as given to {@link #map}.
     * @throws io.rdma4j.RdmaException if the platform refuses; then the memory counts as mapped still.
     */
    void unmap(long iova, long length);

    /**
     * How many mappings there can be at a time.
     *
     * @return at least 1; {@link Integer#MAX_VALUE} if only memory limits it.
     */
    default int maxMappings() {
        return Integer.MAX_VALUE;
    }

    /**
     * Whether mapping pins the pages and the kernel counts them against RLIMIT_MEMLOCK. If so that limit is looked at
     * before {@link #map} is called.
     *
     * @return false if mapping pins nothing, or takes care of the limit itself.
     */
    default boolean isChargedToMemlock() {
        return false;
    }
}
