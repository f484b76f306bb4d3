/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.qemu.qtest;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.IovaAllocator;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * DMA memory as parts of the machine's RAM. There is no IOMMU: the device reaches the RAM and nothing else, so only
 * memory that was allocated here can be mapped, and a mapping is no more than its address on the bus.
 *
 * <p>A part is used again only when its memory and every mapping of it are closed. Thread-safe.
 */
final class RamDmaDomain implements DmaDomain {
    private final Object device;
    private final GuestRam ram;
    private final IovaAllocator pages;
    /** By address in this process. */
    private final TreeMap<Long, Allocation> allocations = new TreeMap<>();
    private long mappedBytes;

    private static final class Allocation {
        private final long iova;
        private final long length;
        private int holders = 1;

        Allocation(final long iova, final long length) {
            this.iova = iova;
            this.length = length;
        }
    }

    RamDmaDomain(final Object device, final GuestRam ram) {
        this.device = device;
        this.ram = ram;
        this.pages = new IovaAllocator(List.of(new IovaAllocator.Range(GuestRam.FIRST_DMA, ram.size() - 1)));
    }

    @Override
    public DmaMemory allocate(final long length) {
        if (length <= 0 || length > Integer.MAX_VALUE) {
            throw RdmaException.of("allocate DMA memory").device(device)
                .detail("%d bytes; 1 to %d are possible", length, Integer.MAX_VALUE)
                .errno(RdmaException.EINVAL).build();
        }
        final long rounded = length + PAGE_SIZE - 1 & -PAGE_SIZE;
        final long iova;
        final ByteBuffer part;
        final Long address;
        synchronized (this) {
            iova = take(rounded);
            part = ram.part(iova, rounded);
            address = BufferUtil.address(part);
            allocations.put(address, new Allocation(iova, rounded));
        }
        new UnsafeBuffer(part).setMemory(0, part.capacity(), (byte) 0);
        return new DmaMemory(part, iova, () -> release(address, 0));
    }

    private long take(final long length) {
        try {
            return pages.allocate(length);
        } catch (final RdmaException e) {
            throw RdmaException.of("allocate DMA memory").device(device)
                .detail("%d bytes of guest RAM wanted, %d of %d are free, the largest free part has %d",
                    length, pages.freeBytes(), ram.size(), pages.largestFree())
                .errno(e.errno())
                .hint("close what is not used, or give QEMU more memory (-m and memory-backend-file)")
                .cause(e).build();
        }
    }

    @Override
    public synchronized DmaMapping map(final long address, final long length, final Object owner) {
        if (length <= 0 || address < 0 || address + length < 0) {
            throw RdmaException.of("map memory").device(device)
                .detail("address 0x%x length %d is empty or wraps", address, length)
                .errno(RdmaException.EINVAL).build();
        }
        final long first = address & -PAGE_SIZE;
        final long end = address + length + PAGE_SIZE - 1 & -PAGE_SIZE;
        final Map.Entry<Long, Allocation> found = allocations.floorEntry(first);
        if (found == null || end > found.getKey() + found.getValue().length) {
            throw RdmaException.of("map memory").device(device)
                .detail("0x%x to 0x%x is not inside memory of this device, and there is no IOMMU", first, end)
                .errno(RdmaException.EFAULT)
                .hint("allocate the memory from the device context").build();
        }
        found.getValue().holders++;
        final long bytes = end - first;
        mappedBytes += bytes;
        final Long base = found.getKey();
        return new DmaMapping(first, bytes, found.getValue().iova + first - base, owner, () -> release(base, bytes));
    }

    private synchronized void release(final Long address, final long unmapped) {
        mappedBytes -= unmapped;
        final Allocation allocation = allocations.get(address);
        allocation.holders--;
        if (allocation.holders == 0) {
            allocations.remove(address);
            pages.free(allocation.iova);
        }
    }

    @Override
    public boolean mapsAnyMemory() {
        return false;
    }

    /** A page counts once as memory and once for each mapping of it. */
    @Override
    public synchronized long reachableBytes() {
        return mappedBytes + allocations.values().stream().mapToLong(allocation -> allocation.length).sum();
    }

    @Override
    public synchronized String toString() {
        return String.format("RamDmaDomain[ram=%d allocated=%d mapped=%d free=%d]", ram.size(),
            reachableBytes() - mappedBytes, mappedBytes, pages.freeBytes());
    }
}
