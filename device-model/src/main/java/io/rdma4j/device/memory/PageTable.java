/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import io.rdma4j.device.common.CommandError;
import io.rdma4j.hw.pvrdma.Pdir;

import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The pages of a ring or a region, translated once: what a device keeps in its translation cache.
 *
 * <p>Ask {@link #isCurrent()} before each use, under a lock that the grace period passes through; the translations stay
 * valid until that lock is given back. A table whose mapping ended is never current again, whatever is mapped at the
 * same IOVA later: a driver that unmaps what the device still uses is to find out.
 */
public final class PageTable {
    private static final long PAGE_MASK = Pdir.PAGE_SIZE - 1;

    private final EmulatedIommu iommu;
    private final IommuMapping[] mappings;
    private final long[] hosts;
    private final long base;
    private final int pages;
    /** Written by whoever checks; a stale value only means another check. */
    private volatile long checkedGeneration;

    private PageTable(EmulatedIommu iommu, long checkedGeneration, IommuMapping[] mappings, long[] hosts) {
        this.iommu = iommu;
        this.checkedGeneration = checkedGeneration;
        this.mappings = mappings;
        this.pages = hosts.length;
        this.base = hosts.length == 0 ? 0 : hosts[0];
        this.hosts = isContiguous(hosts) ? null : hosts;
    }

    /**
     * A table without pages: addresses are IOVAs and are translated at each use. For regions that reach all DMA memory.
     *
     * @param iommu translates.
     * @return the table.
     */
    public static PageTable direct(EmulatedIommu iommu) {
        return new PageTable(iommu, iommu.generation(), new IommuMapping[0], new long[0]);
    }

    /**
     * Walks a page directory: the directory's entries name tables, whose entries name pages.
     *
     * @param iommu translates.
     * @param pdir  IOVA of the directory.
     * @param pages how many.
     * @return the table.
     * @throws DmaFault     if the directory, a table or a page is not mapped.
     * @throws CommandError EINVAL if there are too many or no pages, or an entry is 0 or not page-aligned.
     */
    public static PageTable walk(EmulatedIommu iommu, long pdir, int pages) {
        if (pages < 1 || pages > Pdir.MAX_PAGES) {
            throw CommandError.invalid("a page directory reaches 1 to %d pages, not %d", Pdir.MAX_PAGES, pages);
        }
        final long generation = iommu.generation();
        final long[] hosts = new long[pages];
        final List<IommuMapping> used = new ArrayList<>(1);
        final long directory = iommu.translate(aligned(pdir, "page directory"), Pdir.PAGE_SIZE);
        long table = 0;
        IommuMapping last = null;
        for (int i = 0; i < pages; i++) {
            if (Pdir.tableIndex(i) == 0) {
                table = iommu.translate(aligned(entry(directory, Pdir.dirIndex(i)), "page table"), Pdir.PAGE_SIZE);
            }
            final long iova = aligned(entry(table, Pdir.tableIndex(i)), "page");
            if (last == null || !last.contains(iova)) {
                last = iommu.find(iova);
                if (last == null) {
                    throw iommu.fault(iova, Pdir.PAGE_SIZE);
                }
                used.add(last);
            }
            hosts[i] = last.host(iova);
        }
        return new PageTable(iommu, generation, used.toArray(new IommuMapping[0]), hosts);
    }

    private static long entry(long page, int index) {
        return UnsafeApi.getLong(page + 8L * index);
    }

    private static long aligned(long iova, String what) {
        if (iova == 0 || (iova & PAGE_MASK) != 0) {
            throw CommandError.invalid("a %s is at iova 0x%x: it must be page-aligned and not 0", what, iova);
        }
        return iova;
    }

    private static boolean isContiguous(long[] hosts) {
        for (int i = 1; i < hosts.length; i++) {
            if (hosts[i] != hosts[i - 1] + Pdir.PAGE_SIZE) {
                return false;
            }
        }
        return true;
    }

    /**
     * {@return whether every page is still mapped; if so, it stays reachable until the caller's lock is given back}
     */
    public boolean isCurrent() {
        return checkedGeneration == iommu.generation() || check();
    }

    private boolean check() {
        final long generation = iommu.generation();
        if (!iommu.isBusMaster()) {
            return false;
        }
        for (IommuMapping mapping : mappings) {
            if (!mapping.isLive()) {
                return false;
            }
        }
        checkedGeneration = generation;
        return true;
    }

    /**
     * {@return how many pages there are; 0 for a table that translates at each use}
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
        if (hosts != null) {
            return hosts[(int) (offset >>> Pdir.PAGE_SHIFT)] + (offset & PAGE_MASK);
        }
        return base != 0 ? base + offset : direct(offset);
    }

    private long direct(long iova) {
        final IommuMapping mapping = iommu.find(iova);
        return mapping == null ? 0 : mapping.host(iova);
    }

    /**
     * How far host memory goes on without a seam.
     *
     * @param offset as for {@link #host}.
     * @param wanted bytes that are in range.
     * @return bytes from there, at most what is wanted; 0 if the first is not mapped.
     */
    public long run(long offset, long wanted) {
        if (hosts == null) {
            return base != 0 ? wanted : directRun(offset, wanted);
        }
        int page = (int) (offset >>> Pdir.PAGE_SHIFT);
        long run = Pdir.PAGE_SIZE - (offset & PAGE_MASK);
        while (run < wanted && hosts[page + 1] == hosts[page] + Pdir.PAGE_SIZE) {
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
     * Pages as memory, for a ring.
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
        return pages + " pages" + (hosts == null ? "" : " (scattered)") + (isCurrent() ? "" : " (unmapped)");
    }
}
