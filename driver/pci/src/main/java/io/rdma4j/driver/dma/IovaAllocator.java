/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static io.rdma4j.driver.pci.DmaDomain.PAGE_SIZE;

import io.rdma4j.RdmaException;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Hands out bus addresses: first fit over the ranges that the IOMMU translates, in whole pages, from 4 GiB upwards and
 * only then below. Address 0 is never given out: the device takes it for "none". Thread-safe.
 *
 * <p>Below 4 GiB are the BARs of other devices. A switch without ACS sends an access there to its own ports before any
 * IOMMU sees it, and not every kernel leaves these addresses out of the ranges that it reports.
 */
public final class IovaAllocator {
    private static final List<PageKind> LARGE = List.of(PageKind.GB1, PageKind.MB2);
    private static final long HIGH = 1L << 32;
    /** Where to begin, in this order. A range across the border is taken only if it fits on neither side. */
    private static final long[] FLOORS = {HIGH, 0};

    private final TreeMap<Long, Long> free = new TreeMap<>();
    private final TreeMap<Long, Long> given = new TreeMap<>();
    private final long capacity;
    private long freeBytes;

    /**
     * Bus addresses that can be translated.
     *
     * @param first first byte.
     * @param last  last byte, inclusive, as an IOMMU reports it; addresses above 2^63 - 1 are left unused.
     */
    public record Range(long first, long last) {
        /**
         * Checks the order.
         *
         * @param first first byte.
         * @param last  last byte, inclusive.
         * @throws IllegalArgumentException if last is below first, both taken as unsigned.
         */
        public Range(final long first, final long last) {
            if (Long.compareUnsigned(first, last) > 0) {
                throw new IllegalArgumentException(String.format("empty IOVA range 0x%x..0x%x", first, last));
            }
            this.first = first;
            this.last = last;
        }

        @Override
        public String toString() {
            return String.format("0x%x..0x%x", first, last);
        }
    }

    /**
     * Takes the whole pages of the ranges, without page 0.
     *
     * @param ranges what the IOMMU translates; they may touch or overlap.
     * @throws IllegalArgumentException if there is not one usable page in them.
     */
    public IovaAllocator(final List<Range> ranges) {
        for (final Range range : ranges) {
            if (range.first() >= 0) {
                final long limit = range.last() < 0 ? Long.MAX_VALUE : range.last();
                final long start = Math.max(PAGE_SIZE, roundUp(range.first(), PAGE_SIZE));
                final long end = (limit == Long.MAX_VALUE ? limit : limit + 1) & -PAGE_SIZE;
                if (start > 0 && start < end) {
                    addInitially(start, end);
                }
            }
        }
        if (free.isEmpty()) {
            throw new IllegalArgumentException("no usable page of bus addresses in " + ranges);
        }
        capacity = free.values().stream().mapToLong(Long::longValue).sum();
        freeBytes = capacity;
    }

    private void addInitially(final long from, final long to) {
        long start = from;
        long end = to;
        Map.Entry<Long, Long> below = free.floorEntry(end);
        while (below != null && below.getKey() + below.getValue() >= start) {
            start = Math.min(start, below.getKey());
            end = Math.max(end, below.getKey() + below.getValue());
            free.remove(below.getKey());
            below = free.floorEntry(end);
        }
        free.put(start, end - start);
    }

    /**
     * Takes a range of whole pages.
     *
     * @param length bytes, a multiple of the page size, above 0.
     * @return its first address.
     * @throws RdmaException ENOMEM if no free range is large enough.
     */
    public long allocate(final long length) {
        return allocate(length, PAGE_SIZE);
    }

    /**
     * Takes an aligned range of whole pages.
     *
     * @param length    bytes, a multiple of the page size, above 0.
     * @param alignment of the first address; a power of two, at least the page size.
     * @return its first address, never 0.
     * @throws RdmaException            ENOMEM if no free range is large enough.
     * @throws IllegalArgumentException if length or alignment break the rules above.
     */
    public long allocate(final long length, final long alignment) {
        check(length, alignment);
        for (final long floor : FLOORS) {
            final long iova = find(length, alignment, 0, floor);
            if (iova != 0) {
                return iova;
            }
        }
        throw exhausted(length, alignment);
    }

    /**
     * Takes a range for some memory: at an address that has the same offset in large pages as the memory, if there is
     * one free, so that the IOMMU can translate large pages at a time.
     *
     * @param address of the memory, page-aligned.
     * @param length  bytes, a multiple of the page size, above 0.
     * @return its first address, never 0.
     * @throws RdmaException ENOMEM if no free range is large enough.
     */
    public long allocateFor(final long address, final long length) {
        check(length, PAGE_SIZE);
        for (final long floor : FLOORS) {
            final long iova = findFor(address, length, floor);
            if (iova != 0) {
                return iova;
            }
        }
        throw exhausted(length, PAGE_SIZE);
    }

    private long findFor(final long address, final long length, final long floor) {
        for (final PageKind kind : LARGE) {
            final long iova = length < kind.pageSize() ? 0
                : find(length, kind.pageSize(), address & kind.pageSize() - 1, floor);
            if (iova != 0) {
                return iova;
            }
        }
        return find(length, PAGE_SIZE, 0, floor);
    }

    /** Whether this is where other devices may have their BARs. */
    static boolean isLow(final long address) {
        return address < HIGH;
    }

    private static void check(final long length, final long alignment) {
        if (length <= 0 || length % PAGE_SIZE != 0 || alignment < PAGE_SIZE || Long.bitCount(alignment) != 1) {
            throw new IllegalArgumentException(String.format(
                "IOVA length %d, alignment %d: whole pages of %d and a power of two are needed",
                length, alignment, PAGE_SIZE));
        }
    }

    /** First fit at some offset behind an aligned address, not below the floor; 0 if there is none. */
    private synchronized long find(final long length, final long alignment, final long offset, final long floor) {
        final Long below = free.floorKey(floor);
        final Long first = below == null ? Long.valueOf(floor) : below;
        for (final Map.Entry<Long, Long> range : free.tailMap(first).entrySet()) {
            final long start = roundUp(Math.max(range.getKey(), floor) - offset, alignment) + offset;
            final long end = range.getKey() + range.getValue();
            if (start > 0 && start < end && end - start >= length) {
                take(range.getKey(), end, start, length);
                return start;
            }
        }
        return 0;
    }

    /**
     * Takes one certain range, if it is usable and free.
     *
     * @param iova   first address, page-aligned.
     * @param length bytes, a multiple of the page size, above 0.
     * @return false if a part of it is not usable or not free; then nothing is taken.
     */
    public synchronized boolean tryTake(final long iova, final long length) {
        check(length, PAGE_SIZE);
        final Map.Entry<Long, Long> range = free.floorEntry(iova);
        final boolean fits = range != null && iova % PAGE_SIZE == 0
            && range.getValue() - (iova - range.getKey()) >= length;
        if (fits) {
            take(range.getKey(), range.getKey() + range.getValue(), iova, length);
        }
        return fits;
    }

    private void take(final long rangeStart, final long rangeEnd, final long start, final long length) {
        free.remove(rangeStart);
        if (start > rangeStart) {
            free.put(rangeStart, start - rangeStart);
        }
        if (start + length < rangeEnd) {
            free.put(start + length, rangeEnd - start - length);
        }
        given.put(start, length);
        freeBytes -= length;
    }

    private synchronized RdmaException exhausted(final long length, final long alignment) {
        return RdmaException.of("allocate bus addresses")
            .detail("%d bytes aligned to %d needed, %d of %d bytes free, the largest free range has %d",
                length, alignment, freeBytes, capacity, largestFree())
            .errno(RdmaException.ENOMEM)
            .hint("close memory regions or queues that are not needed")
            .build();
    }

    /**
     * Gives a range back. It merges with free neighbours.
     *
     * @param iova what {@link #allocate(long, long)} returned.
     * @throws IllegalArgumentException if it is not allocated now.
     */
    public synchronized void free(final long iova) {
        final Long length = given.remove(iova);
        if (length == null) {
            throw new IllegalArgumentException(String.format("IOVA 0x%x is not allocated", iova));
        }
        freeBytes += length;
        long start = iova;
        long end = iova + length;
        final Map.Entry<Long, Long> below = free.lowerEntry(iova);
        if (below != null && below.getKey() + below.getValue() == iova) {
            start = below.getKey();
        }
        final Long above = free.remove(end);
        if (above != null) {
            end += above;
        }
        free.put(start, end - start);
    }

    /**
     * Bytes that are free, in all ranges together.
     *
     * @return bytes.
     */
    public synchronized long freeBytes() {
        return freeBytes;
    }

    /**
     * Bytes that were free at the beginning.
     *
     * @return bytes.
     */
    public long capacity() {
        return capacity;
    }

    /**
     * The largest range that could be allocated now.
     *
     * @return bytes, 0 if nothing is free.
     */
    public synchronized long largestFree() {
        long largest = 0;
        for (final long length : free.values()) {
            largest = Math.max(largest, length);
        }
        return largest;
    }

    /**
     * How many pieces the free addresses are in.
     *
     * @return 0 if nothing is free.
     */
    public synchronized int freeRanges() {
        return free.size();
    }

    private static long roundUp(final long value, final long alignment) {
        return (value + alignment - 1) & -alignment;
    }

    @Override
    public synchronized String toString() {
        return String.format("IovaAllocator[%d of %d bytes free in %d ranges]", freeBytes, capacity, free.size());
    }
}
