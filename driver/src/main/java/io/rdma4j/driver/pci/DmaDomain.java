/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

/**
 * How one device reaches memory: gives out memory that it can reach, and makes user memory reachable where there is an
 * IOMMU. Everything is in whole pages of {@link #PAGE_SIZE} bytes; what the device sees is an IOVA (bus address),
 * which is never 0. Control path; thread-safe.
 */
public interface DmaDomain {
    /** Bytes in a page of the device's translation tables and of the IOMMU. */
    int PAGE_SIZE = 4096;

    /**
     * Allocates zeroed, page-aligned memory that the device can read and write, contiguous in this process and in
     * IOVAs.
     *
     * @param length bytes, above 0; rounded up to whole pages.
     * @return the memory; the caller owns it and closes it after the device gave it up.
     * @throws io.rdma4j.RdmaException EINVAL if length is out of range; ENOMEM if memory, IOVA space or the device's
     *                                 window is exhausted, with both numbers.
     */
    DmaMemory allocate(long length);

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
     * Bytes that are reachable for the device now, through {@link #allocate} and {@link #map} together. For leak
     * checks and counters.
     *
     * @return bytes, a multiple of the page size.
     */
    long reachableBytes();
}
