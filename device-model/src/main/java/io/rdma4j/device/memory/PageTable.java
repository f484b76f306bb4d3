/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.hw.pvrdma.Pdir;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The pages of a ring or a region, translated once: what a device keeps in its translation cache.
 *
 * <p>Ask {@link #isCurrent()} before each use, under a lock that the grace period passes through; the translations stay
 * valid until that lock is given back. A table whose mapping ended is never current again, whatever is mapped at the
 * same IOVA later: a driver that unmaps what the device still uses is to find out.
 *
 * <p>When its ring or region ends, it is {@linkplain #release released}. Some know it for much longer: the list of a
 * queue's last request, a window. What it took of the heap is not theirs to keep.
 */
public final class PageTable {
    /** Each of them costs a word of the heap: 32 MiB for so many, which are 16 GiB. */
    public static final int MAX_SCATTERED_PAGES = 1 << 22;

    private static final long PAGE_MASK = Pdir.PAGE_SIZE - 1;
    /** What a released table is of: a mapping that is not there. */
    private static final IommuMapping[] NOTHING = new IommuMapping[1];
    private static final long[] NO_PAGES = new long[0];

    private final EmulatedIommu iommu;
    /** What the pages lie in; those from {@link #mappingCount} on count for nothing. */
    private IommuMapping[] mappings;
    private int mappingCount;
    /** Of each page, if they do not follow each other in host memory. */
    private long[] hosts;
    private final long base;
    /** Where the first page is in the file in which this process shares pages; only if all of them lie there. */
    private final long shared;
    private final int pages;
    private final boolean refillable;
    /** Whether pages may be missing. A refillable table's is written while nobody reaches memory by it. */
    private boolean mayFault;
    /** Whether changes of some of the memory are told; likewise. */
    private boolean watched;
    /**
     * Written by whoever checks, of a refillable table only by {@link #refill}; a stale value only means another check.
     */
    private volatile long checkedGeneration;

    private PageTable(EmulatedIommu iommu, long checkedGeneration, IommuMapping[] mappings, long base, long[] hosts,
        int pages) {
        this.iommu = iommu;
        this.checkedGeneration = checkedGeneration;
        this.mappings = mappings;
        this.mappingCount = mappings.length;
        this.base = base;
        this.shared = mappingCount == 1 && hosts == null ? mappings[0].shared(base) : IommuMapping.NOT_SHARED;
        this.hosts = hosts;
        this.pages = pages;
        this.refillable = false;
        look();
    }

    private PageTable(EmulatedIommu iommu, int pages) {
        this.iommu = iommu;
        this.mappings = new IommuMapping[pages];
        this.base = 0;
        this.shared = IommuMapping.NOT_SHARED;
        this.hosts = new long[pages];
        this.pages = pages;
        this.refillable = true;
    }

    /** At what the pages lie in. */
    private void look() {
        mayFault = false;
        watched = false;
        for (int i = 0; i < mappingCount; i++) {
            mayFault |= mappings[i].mayFault();
            watched |= mappings[i].isWatched();
        }
    }

    /**
     * A table without pages: addresses are IOVAs and are translated at each use. For regions that reach all DMA memory.
     *
     * @param iommu translates.
     * @return the table.
     */
    public static PageTable direct(EmulatedIommu iommu) {
        return new PageTable(iommu, iommu.generation(), new IommuMapping[0], 0, null, 0);
    }

    /**
     * A table that gets its pages later, again and again, by {@link #refill}.
     *
     * @param iommu translates.
     * @param pages at most.
     * @return the table.
     */
    public static PageTable refillable(EmulatedIommu iommu, int pages) {
        return new PageTable(iommu, pages);
    }

    /**
     * Walks the page directory of a ring: the directory's entries name tables, whose entries name pages, of memory that
     * stays.
     *
     * @param iommu translates.
     * @param pdir  IOVA of the directory.
     * @param pages how many.
     * @return the table.
     * @throws DmaFault     if the directory, a table or a page is not mapped, or may vanish.
     * @throws CommandError EINVAL if there are too many or no pages, or an entry is not page-aligned, or is 0 and
     *                      nothing is there.
     */
    public static PageTable walk(EmulatedIommu iommu, long pdir, int pages) {
        requirePages(pages, Pdir.MAX_PAGES);
        return walkAny(iommu, pdir, pages, EmulatedIommu::find);
    }

    /**
     * Walks the page directory of a region, or its root page whose entries name directories if there are more pages
     * than one directory reaches. Where pages may vanish, the table names addresses that must be accessed by
     * {@link DmaList} alone.
     *
     * @param iommu translates.
     * @param pdir  IOVA of the directory or root page.
     * @param pages how many.
     * @param max   how many there may be.
     * @return the table.
     * @throws DmaFault     if the root page, a directory, a table or a page is not mapped.
     * @throws CommandError EINVAL if there are too many or no pages, or an entry is not page-aligned, or is 0 and
     *                      nothing is there; ENOMEM if more than {@link #MAX_SCATTERED_PAGES} do not follow each other.
     */
    public static PageTable walkRegion(EmulatedIommu iommu, long pdir, int pages, int max) {
        requirePages(pages, max);
        return walkAny(iommu, pdir, pages, EmulatedIommu::findRegistered);
    }

    /**
     * The same for pages that are there only when they are accessed.
     *
     * @param iommu translates.
     * @param pdir  IOVA of the directory or root page.
     * @param pages how many.
     * @return the table.
     * @throws DmaFault     if the root page, a directory or a table is not mapped, or a page not on demand.
     * @throws CommandError as {@link #walkRegion}.
     */
    public static PageTable walkOnDemand(EmulatedIommu iommu, long pdir, int pages) {
        requirePages(pages, Pdir.LARGE_MAX_PAGES);
        return walkAny(iommu, pdir, pages, EmulatedIommu::findOnDemand);
    }

    private static void requirePages(int pages, int max) {
        if (pages < 1 || pages > max) {
            throw CommandError.invalid("a page directory reaches 1 to %d pages, not %d", max, pages);
        }
    }

    /** What a page may lie in. */
    private interface Finder {
        IommuMapping find(EmulatedIommu iommu, long iova);
    }

    private static PageTable walkAny(EmulatedIommu iommu, long pdir, int pages, Finder finder) {
        final long generation = iommu.generation();
        final DirectoryWalk walk = new DirectoryWalk(iommu, pdir, pages);
        final Set<IommuMapping> used = new LinkedHashSet<>();
        IommuMapping last = null;
        long base = 0;
        long[] hosts = null;
        for (int i = 0; i < pages; i++) {
            final long iova = walk.page(i);
            if (last == null || !last.contains(iova)) {
                last = finder.find(iommu, iova);
                if (last == null) {
                    throw iommu.fault(iova, Pdir.PAGE_SIZE);
                }
                used.add(last);
            }
            final long host = last.host(iova);
            if (i == 0) {
                base = host;
            } else if (hosts == null && host != base + ((long) i << Pdir.PAGE_SHIFT)) {
                hosts = contiguous(base, i, pages);
            }
            if (hosts != null) {
                hosts[i] = host;
            }
        }
        return new PageTable(iommu, generation, used.toArray(new IommuMapping[0]), base, hosts, pages);
    }

    /** Only a table with a seam has an entry for each page. */
    private static long[] contiguous(long base, int filled, int pages) {
        if (pages > MAX_SCATTERED_PAGES) {
            throw new CommandError(CommandError.ENOMEM, pages + " pages that do not follow each other, at most "
                + MAX_SCATTERED_PAGES);
        }
        final long[] hosts = words(pages);
        Arrays.setAll(hosts, i -> i < filled ? base + ((long) i << Pdir.PAGE_SHIFT) : 0);
        return hosts;
    }

    /** A driver that asks for more than the heap has is refused like any other that asks for too much. */
    private static long[] words(int count) {
        try {
            return new long[count];
        } catch (final OutOfMemoryError e) {
            throw new CommandError(CommandError.ENOMEM, "no memory for a table of " + count + " pages");
        }
    }

    /**
     * Gives a refillable table other pages. Nobody reaches memory by it meanwhile.
     *
     * @param pdir  IOVA of a page directory.
     * @param count how many pages, at most {@link #pages()}.
     * @return false if the directory, its tables or a page are not mapped or not aligned; the table is of no use then.
     */
    public boolean refill(long pdir, int count) {
        // Read first: whatever ends from here on changes it, so that it does not count as checked.
        final long generation = iommu.generation();
        checkedGeneration = 0;
        mappingCount = 0;
        final IommuMapping directory = pageAt(pdir);
        IommuMapping last = null;
        long table = 0;
        for (int i = 0; i < count && directory != null && !directory.mayFault(); i++) {
            if (Pdir.tableIndex(i) == 0) {
                final long iova = entry(directory.host(pdir), Pdir.dirIndex(i));
                final IommuMapping holder = pageAt(iova);
                if (holder == null || holder.mayFault()) {
                    return false;
                }
                table = holder.host(iova);
            }
            final long iova = entry(table, Pdir.tableIndex(i));
            if (last == null || !last.contains(iova) || (iova & PAGE_MASK) != 0) {
                last = pageAt(iova);
                if (last == null) {
                    return false;
                }
                mappings[mappingCount++] = last;
            }
            hosts[i] = last.host(iova);
        }
        if (directory == null || directory.mayFault() || !areMapped()) {
            return false;
        }
        look();
        checkedGeneration = generation;
        return true;
    }

    private IommuMapping pageAt(long iova) {
        return (iova & PAGE_MASK) != 0 ? null : iommu.cached(iova, Pdir.PAGE_SIZE);
    }

    static long entry(long page, int index) {
        return UnsafeApi.getLong(page + 8L * index);
    }

    /**
     * {@return whether every page is still mapped; if so, it stays reachable until the caller's lock is given back}
     */
    public boolean isCurrent() {
        return (!watched || iommu.awaitQuiet()) && (checkedGeneration == iommu.generation() || check());
    }

    /**
     * Counts an access that was refused because the table is not current.
     *
     * @param address what was to be accessed.
     * @param length  bytes.
     */
    public void refused(long address, long length) {
        boolean revoked = false;
        // It may be released meanwhile: see areMapped.
        final IommuMapping[] used = mappings;
        for (int i = 0; i < Math.min(mappingCount, used.length); i++) {
            revoked |= used[i] != null && used[i].isRevoked();
        }
        if (revoked) {
            iommu.lost(address, length);
        } else {
            iommu.fault(address, length);
        }
    }

    private boolean check() {
        final long generation = iommu.generation();
        if (!areMapped()) {
            return false;
        }
        if (!refillable) {
            // One that is filled anew meanwhile would be taken for checked, though its former pages were.
            checkedGeneration = generation;
        }
        return true;
    }

    private boolean areMapped() {
        if (!iommu.isBusMaster()) {
            return false;
        }
        // Who describes the device asks while the table may be released: not by the count of other mappings.
        final IommuMapping[] used = mappings;
        for (int i = 0; i < Math.min(mappingCount, used.length); i++) {
            if (used[i] == null || !used[i].isLive()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Gives back what it took of the heap, and is never current again. Nobody reaches memory by it now, nor will: the
     * grace period of its ring or region is over.
     *
     * @return words, as {@link #words()} said before.
     */
    public long release() {
        final long words = words();
        hosts = hosts == null ? null : NO_PAGES;
        mappings = NOTHING;
        mappingCount = NOTHING.length;
        checkedGeneration = 0;
        return words;
    }

    /**
     * What it takes of the heap.
     *
     * @return words, about; 0 if its pages follow each other in one mapping.
     */
    public long words() {
        return (hosts == null ? 0L : hosts.length) + (mappings.length > 1 ? mappings.length : 0);
    }

    /**
     * {@return how many pages there are, or may be at most; 0 for a table that translates at each use}
     */
    public int pages() {
        return pages;
    }

    /**
     * Where a byte is.
     *
     * @param offset from the beginning of the first page, in range; an IOVA if the table translates at each use.
     * @return its host address; 0 if it is not mapped, which only happens in a table that translates at each use.
     */
    public long host(long offset) {
        final long[] each = hosts;
        if (each != null) {
            return each[(int) (offset >>> Pdir.PAGE_SHIFT)] + (offset & PAGE_MASK);
        }
        return base != 0 ? base + offset : direct(offset);
    }

    /**
     * Where a byte is in the file in which this process shares ordinary pages.
     *
     * @param offset as for {@link #host}.
     * @return its offset; {@link DmaList#NOT_SHARED} if it is not in there, or not all pages follow each other there.
     */
    long shared(long offset) {
        return shared == IommuMapping.NOT_SHARED ? DmaList.NOT_SHARED : shared + offset;
    }

    /**
     * {@return where its first byte is, if all of it is one piece of host memory, and memory that is there; else 0}
     */
    public long contiguous() {
        return hosts == null && !mayFault ? base : 0;
    }

    private long direct(long iova) {
        final IommuMapping mapping = iommu.find(iova);
        return mapping == null ? 0 : mapping.host(iova);
    }

    /**
     * {@return whether its pages may be missing, so that only {@link PagedMemory} may touch them}
     */
    public boolean mayFault() {
        return mayFault;
    }

    /**
     * {@return whether changes of some of its memory are told: {@link EmulatedIommu#awaitQuiet} comes before a use}
     */
    public boolean isWatched() {
        return watched;
    }

    /** Whether it translates at each use. */
    boolean isDirect() {
        return pages == 0;
    }

    /** Of a table that translates at each use: what an IOVA is mapped to now, or null. */
    IommuMapping mapping(long iova) {
        return iommu.find(iova);
    }

    /**
     * How far host memory goes on without a seam.
     *
     * @param offset as for {@link #host}.
     * @param wanted bytes that are in range.
     * @return bytes from there, at most what is wanted; 0 if the first is not mapped.
     */
    public long run(long offset, long wanted) {
        final long[] each = hosts;
        if (each == null) {
            return base != 0 ? wanted : directRun(offset, wanted);
        }
        int page = (int) (offset >>> Pdir.PAGE_SHIFT);
        long run = Pdir.PAGE_SIZE - (offset & PAGE_MASK);
        while (run < wanted && each[page + 1] == each[page] + Pdir.PAGE_SIZE) {
            run += Pdir.PAGE_SIZE;
            page++;
        }
        return Math.min(run, wanted);
    }

    private long directRun(long iova, long wanted) {
        final IommuMapping mapping = iommu.find(iova);
        return mapping == null ? 0 : Math.min(mapping.rest(iova), wanted);
    }

    /**
     * Whether a range can be reached without a fault.
     *
     * @param offset as for {@link #host}.
     * @param length bytes that are in range.
     * @return true for every table of pages; for one that translates at each use, if all of it is mapped.
     */
    public boolean reaches(long offset, long length) {
        long done = 0;
        while (pages == 0 && done < length) {
            final long run = directRun(offset + done, length - done);
            if (run == 0) {
                iommu.fault(offset + done, length - done);
                return false;
            }
            done += run;
        }
        return true;
    }

    /**
     * Pages as memory, for a ring. Of those that it uses: each costs some words of the heap, and a driver may name a
     * page as often as it likes.
     *
     * @param from  first page.
     * @param count how many.
     * @return a buffer for each.
     */
    public UnsafeBuffer[] buffers(int from, int count) {
        final UnsafeBuffer[] buffers = new UnsafeBuffer[count];
        Arrays.setAll(buffers, i -> buffer(from + i));
        return buffers;
    }

    /**
     * A page as memory, for a ring.
     *
     * @param page its number.
     * @return a buffer over it.
     */
    public UnsafeBuffer buffer(int page) {
        return new UnsafeBuffer(host((long) page << Pdir.PAGE_SHIFT), Pdir.PAGE_SIZE);
    }

    @Override
    public String toString() {
        final String kind = hosts == null ? "" : refillable ? " (at most)" : " (scattered)";
        return pages + " pages" + kind + (isCurrent() ? "" : " (unmapped)");
    }
}
