/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongUnaryOperator;

/**
 * Something that is mapped, and how many use it. Fields that change are guarded by the domain.
 */
final class Mapped {
    final long start;
    final long end;
    final long iova;
    /** What the device is told, by the offset of a byte. */
    private final LongUnaryOperator busAddresses;
    /** Whether others may join it, as it keeps its own memory alive. */
    final boolean shareable;
    int users = 1;
    /** Whether a thread is refreshing it: until that is over nobody else does, and nobody unmaps it. */
    boolean refreshing;
    /** Held as long as this is mapped, and not longer: who was a user may still hold this. */
    private volatile Object owner;

    Mapped(
        final Extent memory, final long iova, final LongUnaryOperator busAddresses, final boolean shareable) {
        this.start = memory.start();
        this.end = memory.end();
        this.owner = memory.owner();
        this.iova = iova;
        this.busAddresses = busAddresses;
        this.shareable = shareable;
    }

    Iommu.Range range() {
        return new Iommu.Range(iova, start, length());
    }

    long length() {
        return end - start;
    }

    boolean contains(final long otherStart, final long otherEnd) {
        return start <= otherStart && otherEnd <= end;
    }

    /** Whether a region of this owner may use it: one that names another owner is not to keep a buffer. */
    boolean isFor(final Object ownerOfRegion) {
        return ownerOfRegion == null || ownerOfRegion instanceof ByteBuffer || !(owner instanceof ByteBuffer);
    }

    /** Where the device sees what follows an address of it, by the offset from there. */
    LongUnaryOperator iovasFrom(final long address) {
        final long skipped = address - start;
        return offset -> busAddresses.applyAsLong(skipped + offset);
    }

    /** After it was unmapped. */
    void letGo() {
        final Object last = owner;
        owner = null;
        if (last instanceof HostBlock) {
            ((HostBlock) last).retire();
        }
    }

    @Override
    public String toString() {
        return String.format("0x%x..0x%x at iova 0x%x, %d users", start, end - 1, iova, users);
    }

    /**
     * Mappings that others may use. None of them lies in another, so they are in the same order by their ends as by
     * their starts, and the last that starts at or below an address is the one that reaches furthest. Not thread-safe.
     */
    static final class Index {
        private final TreeMap<Long, Mapped> byStart = new TreeMap<>();

        /** One that contains all of a range; null if there is none. */
        Mapped find(final long start, final long end) {
            final Map.Entry<Long, Mapped> entry = byStart.floorEntry(start);
            return entry == null || !entry.getValue().contains(start, end) ? null : entry.getValue();
        }

        /** What lies in the new one is not found any more; who uses it goes on doing so. */
        void add(final Mapped added) {
            if (find(added.start, added.end) == null) {
                byStart.subMap(added.start, added.end).values()
                    .removeIf(other -> added.contains(other.start, other.end));
                byStart.put(added.start, added);
            }
        }

        void remove(final Mapped gone) {
            byStart.remove(gone.start, gone);
        }
    }
}
