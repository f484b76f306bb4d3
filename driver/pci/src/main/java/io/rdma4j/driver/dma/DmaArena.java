/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static io.rdma4j.driver.pci.DmaDomain.PAGE_SIZE;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.live.LivePublisher;
import io.rdma4j.driver.live.LiveSegment;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.driver.pci.SharedFile;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Cuts DMA memory into pages, so that a ring of three pages does not cost an IOMMU mapping of its own. Small requests
 * share chunks of {@value #CHUNK_PAGES} pages, of which one is kept when all are free; a larger one gets memory of its
 * own, given back at once.
 *
 * <p>What was freed longest ago is reused first: a device that writes late, after it should have let go, then hits a
 * page that nobody uses yet. Thread-safe; memory is allocated and zeroed without a lock held.
 */
public final class DmaArena implements AutoCloseable {
    /** Pages of a shared chunk: 256 KiB. */
    public static final int CHUNK_PAGES = 64;

    private static final int MAX_PAGES = 1 << 18;

    private final DmaDomain domain;
    /** Null if nobody shall see the memory. */
    private final LivePublisher publisher;
    private final IdentityHashMap<DmaMemory, LivePublisher.LiveEnd> published = new IdentityHashMap<>();
    private final TreeMap<Long, DmaMemory> chunks = new TreeMap<>();
    private final Deque<Extent> free = new ArrayDeque<>();
    private int usedPages;
    private boolean closed;

    private record Extent(DmaMemory chunk, int first, int pages) {
        boolean follows(final Extent other) {
            return chunk == other.chunk && other.first + other.pages == first;
        }
    }

    /**
     * Makes an empty arena, whose memory this process has for itself.
     *
     * @param domain where chunks come from; stays the caller's.
     */
    public DmaArena(final DmaDomain domain) {
        this(domain, null);
    }

    /**
     * Makes an empty arena, whose memory other processes can look at where the platform can do that.
     *
     * @param domain    where chunks come from; stays the caller's.
     * @param publisher says where they are, from before they are used until they are given back; stays the caller's.
     *                  Null for memory that this process has for itself.
     */
    public DmaArena(final DmaDomain domain, final LivePublisher publisher) {
        this.domain = domain;
        this.publisher = publisher;
    }

    /**
     * Takes contiguous pages, all bytes zero.
     *
     * @param pages how many, 1 to 262144.
     * @return the pages; the caller closes them after the device gave them up.
     * @throws RdmaException EINVAL if the number is out of range, EBADFD if the arena is closed, ENOMEM if memory or
     *                       bus addresses are exhausted.
     */
    public DmaPages allocate(final int pages) {
        if (pages < 1 || pages > MAX_PAGES) {
            throw RdmaException.of("allocate DMA pages")
                .detail("%d pages, allowed are 1 to %d", pages, MAX_PAGES)
                .errno(RdmaException.EINVAL)
                .build();
        }
        final Extent extent = takeOrGrow(pages);
        extent.chunk.buffer(extent.first * PAGE_SIZE, pages * PAGE_SIZE).setMemory(0, pages * PAGE_SIZE, (byte) 0);
        return new DmaPages(this, extent.chunk, extent.first, pages);
    }

    private Extent takeOrGrow(final int pages) {
        final Extent found = pages > CHUNK_PAGES ? null : takeFree(pages);
        if (found != null) {
            return found;
        }
        final long bytes = (long) Math.max(pages, CHUNK_PAGES) * PAGE_SIZE;
        final DmaMemory chunk = isSeenByOthers() ? domain.allocateShared(bytes) : domain.allocate(bytes);
        try (Undo undo = new Undo()) {
            undo.add(() -> giveBack(chunk));
            publish(chunk);
            if (!add(chunk, pages)) {
                throw closedArena();
            }
            undo.forget();
            return new Extent(chunk, 0, pages);
        }
    }

    /** Publishing may be switched off, or be for this process alone. */
    private boolean isSeenByOthers() {
        return publisher != null && publisher.file().isPresent();
    }

    private void publish(final DmaMemory chunk) {
        if (publisher == null) {
            return;
        }
        final int descriptor = chunk.shared().map(SharedFile::descriptor).orElse(LiveSegment.UNSHARED);
        final long inFile = chunk.shared().map(SharedFile::offset).orElse(0L);
        final List<LivePublisher.LiveEnd> ends = new ArrayList<>();
        synchronized (this) {
            published.put(chunk, () -> Cleanup.all(ends, LivePublisher.LiveEnd::close));
        }
        long length;
        for (long first = 0; first < chunk.length(); first += length) {
            length = runLength(chunk, first);
            ends.add(publisher.segment(new LiveSegment(chunk.iova(first), chunk.address() + first, length,
                descriptor, descriptor == LiveSegment.UNSHARED ? 0 : inFile + first)));
        }
    }

    /** How much from there on lies side by side for the device, too: all of it, where something translates. */
    private static long runLength(final DmaMemory chunk, final long first) {
        long length = PAGE_SIZE;
        while (first + length < chunk.length() && chunk.iova(first + length) == chunk.iova(first) + length) {
            length += PAGE_SIZE;
        }
        return length;
    }

    /** Nobody is told to look any more before something else can be there. */
    private void giveBack(final DmaMemory chunk) {
        final LivePublisher.LiveEnd end;
        synchronized (this) {
            end = published.remove(chunk);
        }
        if (end != null) {
            end.close();
        }
        chunk.close();
    }

    private synchronized Extent takeFree(final int pages) {
        if (closed) {
            throw closedArena();
        }
        for (final Iterator<Extent> extents = free.iterator(); extents.hasNext();) {
            final Extent extent = extents.next();
            if (extent.pages >= pages) {
                extents.remove();
                if (extent.pages > pages) {
                    free.addFirst(new Extent(extent.chunk, extent.first + pages, extent.pages - pages));
                }
                usedPages += pages;
                return new Extent(extent.chunk, extent.first, pages);
            }
        }
        return null;
    }

    private synchronized boolean add(final DmaMemory chunk, final int pages) {
        if (closed) {
            return false;
        }
        chunks.put(chunk.address(), chunk);
        usedPages += pages;
        if (pages < CHUNK_PAGES) {
            free.addLast(new Extent(chunk, pages, CHUNK_PAGES - pages));
        }
        return true;
    }

    private static RdmaException closedArena() {
        return RdmaException.of("allocate DMA pages")
            .detail("the device is closed")
            .errno(RdmaException.EBADFD)
            .build();
    }

    void release(final DmaMemory chunk, final int first, final int pages) {
        final boolean unneeded;
        synchronized (this) {
            usedPages -= pages;
            unneeded = !closed && !keep(new Extent(chunk, first, pages));
            if (unneeded) {
                chunks.remove(chunk.address());
            }
        }
        if (unneeded) {
            giveBack(chunk);
        }
    }

    /** Keeps freed pages for later, unless their chunk is wholly free and there is another such chunk. */
    private boolean keep(final Extent freed) {
        if (freed.pages > CHUNK_PAGES) {
            return false;
        }
        final Extent merged = mergeWithNeighbours(freed);
        if (merged.pages == CHUNK_PAGES && free.stream().anyMatch(extent -> extent.pages == CHUNK_PAGES)) {
            return false;
        }
        free.addLast(merged);
        return true;
    }

    private Extent mergeWithNeighbours(final Extent freed) {
        Extent merged = freed;
        for (final Iterator<Extent> extents = free.iterator(); extents.hasNext();) {
            final Extent other = extents.next();
            if (other.follows(merged)) {
                merged = new Extent(merged.chunk, merged.first, merged.pages + other.pages);
                extents.remove();
            } else if (merged.follows(other)) {
                merged = new Extent(merged.chunk, other.first, merged.pages + other.pages);
                extents.remove();
            }
        }
        return merged;
    }

    /**
     * Pages that are handed out and not given back. For leak checks.
     *
     * @return 0 if everything was closed.
     */
    public synchronized int usedPages() {
        return usedPages;
    }

    /**
     * Whether a byte of a range is of pages that the arena holds: of rings, page directories and the like, which are no
     * application's.
     *
     * @param address first byte.
     * @param length  bytes.
     * @return true if so.
     */
    public synchronized boolean holds(final long address, final long length) {
        final Map.Entry<Long, DmaMemory> last = chunks.lowerEntry(address + length);
        return last != null && last.getKey() + last.getValue().length() > address;
    }

    /**
     * Pages that the arena holds, used or not.
     *
     * @return 0 before the first allocation and after {@link #close()}.
     */
    public synchronized int reservedPages() {
        long bytes = 0;
        for (final DmaMemory chunk : chunks.values()) {
            bytes += chunk.length();
        }
        return (int) (bytes / PAGE_SIZE);
    }

    /**
     * Ends the device's access to all pages, also to those that are still handed out. Harmless when called again.
     *
     * @throws RdmaException the first refusal, with others suppressed; everything that can be closed is.
     */
    @Override
    public void close() {
        final List<DmaMemory> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(chunks.values());
            chunks.clear();
            free.clear();
        }
        Cleanup.all(left, this::giveBack);
    }

    @Override
    public String toString() {
        return "DmaArena[used=" + usedPages() + " reserved=" + reservedPages() + " pages]";
    }
}
