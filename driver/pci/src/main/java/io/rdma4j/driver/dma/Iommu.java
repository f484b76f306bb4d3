/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;

import java.util.function.LongUnaryOperator;

/**
 * What translates the device's addresses: the kernel's IOMMU behind VFIO, or the table of an emulated device.
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
     * What the device has to be told in place of the address that memory was mapped at.
     *
     * @param iova as given to {@link #map}, mapped now.
     * @return by the offset of a byte in that mapping, where the device sees it; valid after {@link #unmap}, too. The
     *         same address, unless nothing translates what the device is told.
     */
    default LongUnaryOperator busAddresses(final long iova) {
        return offset -> iova + offset;
    }

    /**
     * Ends the device's access. When this returns the device reads and writes the memory no more.
     *
     * @param iova   as given to {@link #map}.
     * @param length as given to {@link #map}.
     * @throws io.rdma4j.RdmaException if the platform refuses; then the memory counts as mapped still.
     */
    void unmap(long iova, long length);

    /**
     * Whether {@link #mapOnDemand} works.
     *
     * @return false unless the platform says otherwise.
     */
    default boolean mapsOnDemand() {
        return false;
    }

    /**
     * Makes a range of addresses reachable for the device, whatever is mapped there, now and later: nothing is touched,
     * looked at or pinned. The device looks for the page at each access, and fails where there is none.
     *
     * @param iova    as for {@link #map}.
     * @param address as for {@link #map}.
     * @param length  as for {@link #map}.
     * @throws io.rdma4j.RdmaException EOPNOTSUPP if the platform cannot do that.
     */
    default void mapOnDemand(final long iova, final long address, final long length) {
        throw RdmaException.of("map memory on demand").object(this)
            .detail("this IOMMU pins what it maps").errno(RdmaException.EOPNOTSUPP).build();
    }

    /**
     * Whether {@link #refresh} works.
     *
     * @return false unless the platform says otherwise.
     */
    default boolean refreshes() {
        return false;
    }

    /**
     * Whether the device stores as a processor of this machine does.
     *
     * @return false unless the platform says otherwise.
     */
    default boolean storesByProcessor() {
        return false;
    }

    /**
     * Makes the device reach the pages that are behind the addresses of a mapping now. Nobody unmaps the mapping or
     * refreshes it, too, until this returns.
     *
     * @param mapping what was mapped, and where.
     * @param changed first byte of what may be behind other pages now, as this process sees it; page-aligned, inside.
     * @param bytes   how much, whole pages.
     * @param write   whether the device must be able to write there; some platforms ask for that always.
     * @throws io.rdma4j.RdmaException if the new pages cannot be reached. Then the device reaches nothing by the
     *                                 mapping until a later call of this succeeds, and {@link #unmap} works as ever.
     */
    default void refresh(final Range mapping, final long changed, final long bytes, final boolean write) {
        throw RdmaException.of("refresh mapping").object(this)
            .detail("this IOMMU cannot do that").errno(RdmaException.EOPNOTSUPP).build();
    }

    /**
     * Ends the device's access by a mapping until {@link #refresh} succeeds. Only where that works. Harmless when
     * called again.
     *
     * @param mapping what was mapped, and where.
     */
    default void suspend(final Range mapping) {
        throw RdmaException.of("suspend mapping").object(this)
            .detail("this IOMMU cannot do that").errno(RdmaException.EOPNOTSUPP).build();
    }

    /**
     * What was mapped, as it was given to {@link #map}.
     *
     * @param iova    where the device sees it.
     * @param address where this process sees it.
     * @param length  bytes.
     */
    record Range(long iova, long address, long length) {
    }

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
