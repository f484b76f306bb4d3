/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.driver.pci.DmaMemory;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

import org.agrona.BufferUtil;

/**
 * DMA memory behind an {@link Iommu}: any memory of the process can be mapped. Thread-safe; the IOMMU is called without
 * a lock held.
 */
public final class IommuDmaDomain implements DmaDomain, AutoCloseable {
    private static final long PAGE_MASK = PAGE_SIZE - 1;
    /** What one buffer holds, with room to align it. */
    private static final long MAX_ALLOCATION = (Integer.MAX_VALUE & ~PAGE_MASK) - PAGE_SIZE;

    private final Iommu iommu;
    private final IovaAllocator iovas;
    private final Object deviceName;
    private final Map<Long, Long> live = new HashMap<>();
    private long reachable;
    private boolean closed;

    /**
     * Joins an IOMMU and the addresses that it translates.
     *
     * @param iommu      does the mapping.
     * @param iovas      hands out addresses; not shared with anyone else.
     * @param deviceName what errors call the device; its {@code toString()} is used.
     */
    public IommuDmaDomain(final Iommu iommu, final IovaAllocator iovas, final Object deviceName) {
        this.iommu = iommu;
        this.iovas = iovas;
        this.deviceName = deviceName;
    }

    @Override
    public DmaMemory allocate(final long length) {
        if (length <= 0 || length > MAX_ALLOCATION) {
            throw refused("allocate DMA memory", RdmaException.EINVAL)
                .detail("length %d, allowed are 1 to %d", length, MAX_ALLOCATION)
                .build();
        }
        final long bytes = (length + PAGE_MASK) & ~PAGE_MASK;
        final ByteBuffer memory = pages((int) bytes);
        final long iova = mapAnywhere(BufferUtil.address(memory), bytes, memory);
        return new DmaMemory(memory, iova, () -> release(iova));
    }

    private ByteBuffer pages(final int bytes) {
        try {
            final ByteBuffer memory = ByteBuffer.allocateDirect(bytes + PAGE_SIZE);
            final int skip = (int) (-BufferUtil.address(memory) & PAGE_MASK);
            return memory.slice(skip, bytes);
        } catch (final OutOfMemoryError e) {
            throw refused("allocate DMA memory", RdmaException.ENOMEM)
                .detail("%d bytes of direct memory: %s", bytes, e.getMessage())
                .hint("raise -XX:MaxDirectMemorySize")
                .cause(e)
                .build();
        }
    }

    @Override
    public DmaMapping map(final long address, final long length, final Object owner) {
        final long page = address & ~PAGE_MASK;
        if (length <= 0 || address < 0 || length > Long.MAX_VALUE - PAGE_SIZE - address) {
            throw refused("map memory for DMA", RdmaException.EINVAL)
                .detail("address 0x%x, length %d: the range is empty or wraps", address, length)
                .build();
        }
        if (page == 0) {
            throw refused("map memory for DMA", RdmaException.EFAULT)
                .detail("address 0x%x is in the page of the null pointer", address)
                .build();
        }
        final long bytes = ((address + length + PAGE_MASK) & ~PAGE_MASK) - page;
        final long iova = mapAnywhere(page, bytes, owner);
        return new DmaMapping(page, bytes, iova, owner, () -> release(iova));
    }

    private long mapAnywhere(final long address, final long bytes, final Object owner) {
        final long iova = iovas.allocate(bytes);
        boolean mapped = false;
        try {
            iommu.map(iova, address, bytes, owner);
            mapped = true;
        } finally {
            if (!mapped) {
                iovas.free(iova);
            }
        }
        if (!enter(iova, bytes)) {
            iommu.unmap(iova, bytes);
            iovas.free(iova);
            throw refused("map memory for DMA", RdmaException.EBADFD).detail("the device is closed").build();
        }
        return iova;
    }

    private synchronized boolean enter(final long iova, final long bytes) {
        if (!closed) {
            live.put(iova, bytes);
            reachable += bytes;
        }
        return !closed;
    }

    private synchronized Long leave(final long iova) {
        final Long bytes = live.remove(iova);
        if (bytes != null) {
            reachable -= bytes;
        }
        return bytes;
    }

    private void release(final long iova) {
        final Long bytes = leave(iova);
        if (bytes != null) {
            boolean unmapped = false;
            try {
                iommu.unmap(iova, bytes);
                unmapped = true;
            } finally {
                if (!unmapped) {
                    enterAgain(iova, bytes);
                }
            }
            iovas.free(iova);
        }
    }

    /** What could not be unmapped is still reachable, and its addresses must not be given out again. */
    private synchronized void enterAgain(final long iova, final long bytes) {
        live.put(iova, bytes);
        reachable += bytes;
    }

    @Override
    public boolean mapsAnyMemory() {
        return true;
    }

    @Override
    public synchronized long reachableBytes() {
        return reachable;
    }

    /**
     * Ends the device's access to everything that is mapped still; closing those objects later is harmless. New
     * allocations and mappings are refused. Harmless when called again.
     *
     * @throws RdmaException if the IOMMU refused to unmap something; everything else is unmapped nevertheless.
     */
    @Override
    public void close() {
        final Long[] left;
        synchronized (this) {
            closed = true;
            left = live.keySet().toArray(new Long[0]);
        }
        RuntimeException refusal = null;
        for (final Long iova : left) {
            try {
                release(iova);
            } catch (final RuntimeException e) {
                if (refusal == null) {
                    refusal = e;
                } else {
                    refusal.addSuppressed(e);
                }
            }
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    private RdmaException.Builder refused(final String operation, final int errno) {
        return RdmaException.of(operation).device(deviceName).errno(errno);
    }

    @Override
    public String toString() {
        return "IommuDmaDomain[" + deviceName + " reachable=" + reachableBytes() + " " + iovas + "]";
    }
}
