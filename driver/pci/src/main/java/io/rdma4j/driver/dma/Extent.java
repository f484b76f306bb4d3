/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static io.rdma4j.driver.pci.DmaDomain.PAGE_SIZE;

import io.rdma4j.driver.memory.BufferOwners;

import java.nio.ByteBuffer;

import org.agrona.BufferUtil;

/**
 * Memory of which it is known where it begins and ends and what keeps it alive: as long as somebody holds the owner,
 * every page of it stays what it is.
 *
 * @param start first byte of the first page.
 * @param end   behind the last page.
 * @param owner keeps all of it alive.
 */
record Extent(long start, long end, Object owner) {
    /** Up to this size a region does not get a mapping of its own, but shares one with its neighbours in the extent. */
    static final long WINDOW = 256 * 1024;

    /** What an owner keeps alive; null if that is not known, or others may change it: a mapped file can be cut off. */
    static Extent of(final Object owner) {
        if (!(owner instanceof ByteBuffer) || !BufferOwners.keeps(owner)) {
            return null;
        }
        final ByteBuffer buffer = (ByteBuffer) owner;
        return pages(BufferUtil.address(buffer), buffer.capacity(), buffer);
    }

    /** The pages that a range touches. A page of which one byte is alive is not given back by anybody. */
    static Extent pages(final long address, final long length, final Object owner) {
        return new Extent(address & -PAGE_SIZE, address + length + PAGE_SIZE - 1 & -PAGE_SIZE, owner);
    }

    long length() {
        return end - start;
    }

    boolean contains(final Extent other) {
        return start <= other.start && other.end <= end;
    }

    /** What to map for a region in this: the whole windows that it touches as far as they are in here. */
    Extent windowOf(final Extent region) {
        if (region.length() > WINDOW) {
            return new Extent(region.start, region.end, owner);
        }
        return new Extent(Math.max(start, region.start & -WINDOW),
            Math.min(end, region.end + WINDOW - 1 & -WINDOW), owner);
    }

    @Override
    public String toString() {
        return String.format("0x%x..0x%x", start, end - 1);
    }
}
