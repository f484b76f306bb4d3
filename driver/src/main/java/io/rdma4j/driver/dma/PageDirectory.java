/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.hw.pvrdma.Pdir;

import java.util.function.IntToLongFunction;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The two-level table by which the device finds the pages of a ring or a memory region: one directory page with the bus
 * addresses of up to 512 tables, each table with the bus addresses of up to 512 pages. It must live until the device
 * destroyed the object that it was given for.
 */
public final class PageDirectory implements AutoCloseable {
    private final DmaPages memory;
    private final int pages;

    private PageDirectory(final DmaPages memory, final int pages) {
        this.memory = memory;
        this.pages = pages;
    }

    /**
     * Writes a directory of pages that lie anywhere.
     *
     * @param arena  gives the memory for directory and tables.
     * @param pages  how many, 1 to {@link Pdir#MAX_PAGES}.
     * @param iovaOf the bus address of each page, from page 0.
     * @return the directory; the caller closes it.
     * @throws RdmaException            EINVAL if one directory cannot reach so many pages; ENOMEM from the arena.
     * @throws IllegalArgumentException if a page has bus address 0, which means "none", or an unaligned one.
     */
    public static PageDirectory build(final DmaArena arena, final int pages, final IntToLongFunction iovaOf) {
        if (pages < 1 || pages > Pdir.MAX_PAGES) {
            throw RdmaException.of("build page directory")
                .detail("%d pages, a directory reaches 1 to %d", pages, Pdir.MAX_PAGES)
                .errno(RdmaException.EINVAL)
                .build();
        }
        final PageDirectory directory = new PageDirectory(arena.allocate(1 + Pdir.tables(pages)), pages);
        boolean written = false;
        try {
            directory.write(iovaOf);
            written = true;
        } finally {
            if (!written) {
                directory.close();
            }
        }
        return directory;
    }

    /**
     * Writes a directory of arena pages.
     *
     * @param arena gives the memory for directory and tables.
     * @param pages what the device shall find.
     * @return the directory; the caller closes it.
     * @throws RdmaException as {@link #build}.
     */
    public static PageDirectory of(final DmaArena arena, final DmaPages pages) {
        return build(arena, pages.pages(), pages::iova);
    }

    /**
     * Writes a directory of mapped user memory.
     *
     * @param arena   gives the memory for directory and tables.
     * @param mapping what the device shall find.
     * @return the directory; the caller closes it.
     * @throws RdmaException as {@link #build}.
     */
    public static PageDirectory of(final DmaArena arena, final DmaMapping mapping) {
        final long pages = mapping.length() / DmaDomain.PAGE_SIZE;
        return build(arena, (int) Math.min(pages, Integer.MAX_VALUE),
            page -> mapping.iova() + (long) page * DmaDomain.PAGE_SIZE);
    }

    private void write(final IntToLongFunction iovaOf) {
        final UnsafeBuffer words = memory.buffer();
        for (int table = 0; table < memory.pages() - 1; table++) {
            words.putLong(table * Pdir.ENTRY_LENGTH, memory.iova(1 + table), LITTLE_ENDIAN);
        }
        for (int page = 0; page < pages; page++) {
            final long iova = iovaOf.applyAsLong(page);
            if (iova == 0 || iova % DmaDomain.PAGE_SIZE != 0) {
                throw new IllegalArgumentException(String.format(
                    "page %d of %d has bus address 0x%x: it must be a multiple of %d, and 0 means that there is none",
                    page, pages, iova, DmaDomain.PAGE_SIZE));
            }
            final int table = (1 + Pdir.dirIndex(page)) * Pdir.PAGE_SIZE;
            words.putLong(table + Pdir.tableIndex(page) * Pdir.ENTRY_LENGTH, iova, LITTLE_ENDIAN);
        }
    }

    /**
     * What the device is told: the {@code pdir_dma} of commands and of the shared region.
     *
     * @return the bus address of the directory page.
     */
    public long pdirDma() {
        return memory.iova();
    }

    /**
     * How many pages the device finds through it.
     *
     * @return 1 to {@link Pdir#MAX_PAGES}.
     */
    public int pages() {
        return pages;
    }

    /** Gives directory and tables back. Harmless when called again. */
    @Override
    public void close() {
        memory.close();
    }

    @Override
    public String toString() {
        return String.format("PageDirectory[pdirDma=0x%x pages=%d]", pdirDma(), pages);
    }
}
