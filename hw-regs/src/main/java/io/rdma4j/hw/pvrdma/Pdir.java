/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

/**
 * The arithmetic of page directories, by which the device finds the pages of a memory region or of a ring:
 *
 * <pre>
 *   page number i:   17        9 8         0
 *                   +-----------+-----------+
 *                   | dirIndex  | tableIndex|
 *                   +-----------+-----------+
 *
 *   pdir_dma -&gt; directory page: 512 x u64 -&gt; table page: 512 x u64 -&gt; data page: 4096 bytes
 * </pre>
 *
 * <p>Entries are whole bus addresses, without flag bits; an entry of 0 means "none". One directory reaches
 * {@value #MAX_PAGES} pages, which is 1 GiB.
 *
 * <p>Where the device has {@link ExtensionFlags#RDMA4J_EXT_LARGE_REGIONS}, a region of more pages is described by one
 * level more: {@code pdir_dma} names a root page, whose entries name directories.
 *
 * <pre>
 *   page number i:   26        18 17        9 8         0
 *                   +------------+-----------+-----------+
 *                   | rootIndex  | dirIndex  | tableIndex|
 *                   +------------+-----------+-----------+
 * </pre>
 */
public final class Pdir {
    /** Bytes of a page: always 4096, whatever the host prefers. */
    public static final int PAGE_SIZE = 4096;
    /** log2 of {@link #PAGE_SIZE}. */
    public static final int PAGE_SHIFT = 12;
    /** Entries of a directory, and of a table. */
    public static final int ENTRIES = 512;
    /** Bytes of an entry. */
    public static final int ENTRY_LENGTH = 8;
    /** Pages that one directory can reach, {@code PVRDMA_PAGE_DIR_MAX_PAGES}. */
    public static final int MAX_PAGES = ENTRIES * ENTRIES;

    /** Pages that a root page can reach with one level more, which is 512 GiB. */
    public static final int LARGE_MAX_PAGES = ENTRIES * MAX_PAGES;

    private static final int TABLE_SHIFT = 9;
    private static final int DIRECTORY_SHIFT = 2 * TABLE_SHIFT;

    private Pdir() {
    }

    /**
     * {@return whether so many pages take a root page above the directories}
     *
     * @param npages data pages
     */
    public static boolean isLarge(int npages) {
        return npages > MAX_PAGES;
    }

    /**
     * {@return which entry of the root page leads to a page, where there is a root page; 0 otherwise}
     *
     * @param page number of the page, 0 to {@link #LARGE_MAX_PAGES} - 1
     */
    public static int rootIndex(int page) {
        return page >>> DIRECTORY_SHIFT;
    }

    /**
     * {@return which entry of its directory leads to a page}
     *
     * @param page number of the page, 0 to {@link #LARGE_MAX_PAGES} - 1
     */
    public static int dirIndex(int page) {
        return page >>> TABLE_SHIFT & (ENTRIES - 1);
    }

    /**
     * {@return which entry of its table leads to a page}
     *
     * @param page number of the page, 0 to {@link #LARGE_MAX_PAGES} - 1
     */
    public static int tableIndex(int page) {
        return page & (ENTRIES - 1);
    }

    /**
     * Counts the tables that a directory needs.
     *
     * @param npages data pages
     * @return how many tables; 0 for no pages
     * @throws IllegalArgumentException if one directory cannot reach so many pages
     */
    public static int tables(int npages) {
        if (npages < 0 || npages > MAX_PAGES) {
            throw new IllegalArgumentException(npages + " pages: a page directory reaches 0.." + MAX_PAGES);
        }
        return (npages + ENTRIES - 1) >>> TABLE_SHIFT;
    }

    /**
     * Counts the tables of all directories below a root page.
     *
     * @param npages data pages
     * @return how many tables; 0 for no pages
     * @throws IllegalArgumentException if a root page cannot reach so many pages
     */
    public static int largeTables(int npages) {
        requireLarge(npages);
        return (npages + ENTRIES - 1) >>> TABLE_SHIFT;
    }

    /**
     * Counts the directories below a root page.
     *
     * @param npages data pages
     * @return how many directories; 0 for no pages
     * @throws IllegalArgumentException if a root page cannot reach so many pages
     */
    public static int directories(int npages) {
        requireLarge(npages);
        return (npages + MAX_PAGES - 1) >>> DIRECTORY_SHIFT;
    }

    private static void requireLarge(int npages) {
        if (npages < 0 || npages > LARGE_MAX_PAGES) {
            throw new IllegalArgumentException(npages + " pages: a root page reaches 0.." + LARGE_MAX_PAGES);
        }
    }

    /**
     * Counts the pages that a range touches; a range that does not begin at a page boundary may touch one more than
     * its length suggests.
     *
     * @param addr unsigned address of the first byte
     * @param len  bytes, not negative
     * @return how many pages, which may be more than a directory reaches; 0 for no bytes
     * @throws IllegalArgumentException if the length is negative or the range passes the end of the address space
     */
    public static long pagesSpanned(long addr, long len) {
        if (len < 0 || (len > 0 && Long.compareUnsigned(addr + (len - 1), addr) < 0)) {
            throw new IllegalArgumentException("no range: address 0x" + Long.toHexString(addr) + ", length " + len);
        }
        if (len == 0) {
            return 0;
        }
        final long mask = PAGE_SIZE - 1;
        return (len >>> PAGE_SHIFT) + (((addr & mask) + (len & mask) + mask) >>> PAGE_SHIFT);
    }
}
