/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongUnaryOperator;

/**
 * Pins what is mapped, in front of an IOMMU that does not: a page is in memory before the device can reach it, and
 * stays there until it cannot any more. Thread-safe if the IOMMU is.
 */
public final class PinningIommu implements Iommu {
    private final Iommu iommu;
    private final PagePins pins;
    private final Map<Long, Long> addresses = new HashMap<>();

    /**
     * Joins both.
     *
     * @param iommu does the mapping.
     * @param pins  counts, for the whole process.
     */
    public PinningIommu(final Iommu iommu, final PagePins pins) {
        this.iommu = iommu;
        this.pins = pins;
    }

    @Override
    public void map(final long iova, final long address, final long length, final Object owner) {
        pins.pin(address, length);
        try (Undo undo = new Undo()) {
            undo.add(() -> pins.unpin(address, length));
            iommu.map(iova, address, length, owner);
            undo.forget();
        }
        synchronized (addresses) {
            addresses.put(iova, address);
        }
    }

    @Override
    public LongUnaryOperator busAddresses(final long iova) {
        return iommu.busAddresses(iova);
    }

    @Override
    public void unmap(final long iova, final long length) {
        iommu.unmap(iova, length);
        final Long address;
        synchronized (addresses) {
            address = addresses.remove(iova);
        }
        if (address != null) {
            pins.unpin(address, length);
        }
    }

    @Override
    public boolean mapsOnDemand() {
        return iommu.mapsOnDemand();
    }

    /** Nothing is pinned. */
    @Override
    public void mapOnDemand(final long iova, final long address, final long length) {
        iommu.mapOnDemand(iova, address, length);
    }

    @Override
    public boolean refreshes() {
        return iommu.refreshes();
    }

    @Override
    public boolean storesByProcessor() {
        return iommu.storesByProcessor();
    }

    /** All of it is locked again: if this failed before, nobody knows how far that had come. */
    @Override
    public void refresh(final Range mapping, final long changed, final long bytes, final boolean write) {
        if (!isPinned(mapping)) {
            iommu.refresh(mapping, changed, bytes, write);
            return;
        }
        try {
            pins.repin(mapping.address(), mapping.length());
        } catch (final RdmaException e) {
            iommu.suspend(mapping);
            throw e;
        }
        iommu.refresh(mapping, changed, bytes, write);
    }

    private boolean isPinned(final Range mapping) {
        synchronized (addresses) {
            return addresses.containsKey(mapping.iova());
        }
    }

    @Override
    public void suspend(final Range mapping) {
        iommu.suspend(mapping);
    }

    @Override
    public int maxMappings() {
        return iommu.maxMappings();
    }

    @Override
    public String toString() {
        return iommu + ", pinned by mlock";
    }
}
