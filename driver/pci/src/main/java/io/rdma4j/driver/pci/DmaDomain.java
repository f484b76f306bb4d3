/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

import io.rdma4j.RdmaException;

import java.util.function.LongConsumer;

/**
 * How one device reaches memory: gives out memory that it can reach, and makes user memory reachable where there is an
 * IOMMU. Everything is in whole pages of {@link #PAGE_SIZE} bytes; what the device sees is an IOVA (bus address),
 * which is never 0. Control path; thread-safe.
 */
public interface DmaDomain {
    /** Bytes in a page of the device's translation tables and of the IOMMU. */
    int PAGE_SIZE = 4096;

    /**
     * Allocates zeroed, page-aligned memory that the device can read and write, contiguous in this process, and in
     * IOVAs where something translates them.
     *
     * @param length bytes, above 0; rounded up to whole pages.
     * @return the memory; the caller owns it and closes it after the device gave it up.
     * @throws io.rdma4j.RdmaException EINVAL if length is out of range; ENOMEM if memory, IOVA space or the device's
     *                                 window is exhausted, with both numbers.
     */
    DmaMemory allocate(long length);

    /**
     * Allocates memory for the driver's own use (rings, tables), which other processes may look at: as
     * {@link #allocate}, in a file that they can open, where the platform can do that
     * ({@link DmaMemory#shared()} tells).
     *
     * @param length bytes, above 0; rounded up to whole pages.
     * @return the memory; the caller owns it and closes it after the device gave it up.
     * @throws io.rdma4j.RdmaException as {@link #allocate}.
     */
    default DmaMemory allocateShared(final long length) {
        return allocate(length);
    }

    /**
     * Makes user memory reachable: every page that {@code [address, address + length)} touches. Memory may be mapped
     * more than once, also by mappings that overlap; the device reaches it until the last of them is closed.
     *
     * @param address first byte, any alignment.
     * @param length  bytes, above 0.
     * @param owner   what keeps the memory alive (a buffer object); held until the mapping is closed; may be null for
     *                memory that nobody manages.
     * @return the mapping; the caller owns it.
     * @throws io.rdma4j.RdmaException EINVAL for a range that is empty or wraps; EFAULT if the device cannot reach
     *                                 that memory; ENOMEM if IOVA space is exhausted.
     */
    DmaMapping map(long address, long length, Object owner);

    /**
     * Whether {@link #map} takes any memory of this process. Without an IOMMU only memory from {@link #allocate} can
     * be mapped.
     *
     * @return true if any readable and writable memory can be mapped.
     */
    boolean mapsAnyMemory();

    /**
     * Whether {@link #mapOnDemand} works.
     *
     * @return false unless the platform says otherwise.
     */
    default boolean mapsOnDemand() {
        return false;
    }

    /**
     * Makes a range of addresses reachable: every page that {@code [address, address + length)} touches, whatever is
     * mapped there, now and later. Nothing is touched or pinned. What such a mapping leads to can be told to the device
     * only where its interface knows of memory on demand.
     *
     * @param address first byte, any alignment.
     * @param length  bytes, above 0.
     * @return the mapping; the caller owns it.
     * @throws io.rdma4j.RdmaException EINVAL for a range that is empty or wraps, EFAULT for one in the page of the null
     *                                 pointer; EOPNOTSUPP if the platform cannot do that; ENOMEM if IOVA space is
     *                                 exhausted.
     */
    default DmaMapping mapOnDemand(final long address, final long length) {
        throw RdmaException.of("map memory on demand").object(this)
            .detail("what this device reaches is pinned").errno(RdmaException.EOPNOTSUPP).build();
    }

    /**
     * Whether {@link DmaMapping#refresh} works for mappings of this.
     *
     * @return false unless the platform says otherwise.
     */
    default boolean refreshes() {
        return false;
    }

    /**
     * Whether the device stores as a processor of this machine does, so that the system sees which pages have changed.
     *
     * @return false unless the platform says otherwise.
     */
    default boolean storesByProcessor() {
        return false;
    }

    /**
     * Bytes that are reachable for the device now, through {@link #allocate}, {@link #map} and
     * {@link #mapOnDemand} together; of the last one, bytes that it may reach when they are there. For leak
     * checks and counters.
     *
     * @return bytes, a multiple of the page size.
     */
    long reachableBytes();

    /**
     * Sets who is told of {@link #reachableBytes()}, now and whenever it changed. Without effect where changes are not
     * noticed.
     *
     * @param listener gets the number, with a lock held: it stores it and returns. One at a time; replaces the one
     *                 before.
     */
    default void onReachable(final LongConsumer listener) {
        // A domain that does not follow what is reachable tells nobody.
    }
}
