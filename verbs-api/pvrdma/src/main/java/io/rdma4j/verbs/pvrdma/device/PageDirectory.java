/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.rdma4j.RdmaException;
import io.rdma4j.base.Undo;
import io.rdma4j.driver.dma.DmaArena;
import io.rdma4j.driver.dma.DmaPages;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.hw.pvrdma.Pdir;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The table by which the device finds the pages of a ring or a memory region: one directory page with the bus addresses
 * of up to 512 tables, each table with the bus addresses of up to 512 pages. For more pages there is a root page with
 * the bus addresses of directories, where the device knows that. It must live until the device destroyed the object
 * that it was given for.
 */
public final class PageDirectory implements AutoCloseable {
    /** The root page first, if there is one; then directories, each followed by its tables. */
    private final List<DmaPages> memory;
    private final int pages;

    private PageDirectory(final List<DmaPages> memory, final int pages) {
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
        return written(arena, pages, iovaOf);
    }

    /**
     * Writes a directory of pages that lie anywhere, with a root page above it if one directory cannot reach them all.
     *
     * @param arena  gives the memory for root page, directories and tables.
     * @param pages  how many, 1 to {@link Pdir#LARGE_MAX_PAGES}.
     * @param iovaOf the bus address of each page, from page 0.
     * @return the directory; the caller closes it.
     * @throws RdmaException            EINVAL if a root page cannot reach so many pages; ENOMEM from the arena.
     * @throws IllegalArgumentException if a page has bus address 0, which means "none", or an unaligned one.
     */
    public static PageDirectory buildLarge(final DmaArena arena, final int pages, final IntToLongFunction iovaOf) {
        if (pages < 1 || pages > Pdir.LARGE_MAX_PAGES) {
            throw RdmaException.of("build page directory")
                .detail("%d pages, a root page reaches 1 to %d", pages, Pdir.LARGE_MAX_PAGES)
                .errno(RdmaException.EINVAL)
                .build();
        }
        return written(arena, pages, iovaOf);
    }

    private static PageDirectory written(final DmaArena arena, final int pages, final IntToLongFunction iovaOf) {
        final PageDirectory directory = new PageDirectory(new ArrayList<>(), pages);
        try (Undo undo = new Undo()) {
            undo.add(directory::close);
            directory.write(arena, iovaOf);
            undo.forget();
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
     * @throws RdmaException as {@link #buildLarge}.
     */
    public static PageDirectory of(final DmaArena arena, final DmaMapping mapping) {
        final long pages = mapping.length() / DmaDomain.PAGE_SIZE;
        return buildLarge(arena, (int) Math.min(pages, Integer.MAX_VALUE),
            page -> mapping.iova((long) page * DmaDomain.PAGE_SIZE));
    }

    private void write(final DmaArena arena, final IntToLongFunction iovaOf) {
        if (!Pdir.isLarge(pages)) {
            writeDirectory(arena, 0, pages, iovaOf);
            return;
        }
        final DmaPages root = arena.allocate(1);
        memory.add(root);
        for (int i = 0; i < Pdir.directories(pages); i++) {
            final int first = i * Pdir.MAX_PAGES;
            final DmaPages directory = writeDirectory(arena, first, Math.min(pages - first, Pdir.MAX_PAGES), iovaOf);
            root.buffer().putLong(i * Pdir.ENTRY_LENGTH, directory.iova(), LITTLE_ENDIAN);
        }
    }

    private DmaPages writeDirectory(
        final DmaArena arena, final int first, final int count, final IntToLongFunction iovaOf) {
        final DmaPages directory = arena.allocate(1 + Pdir.tables(count));
        memory.add(directory);
        final UnsafeBuffer words = directory.buffer();
        for (int table = 0; table < directory.pages() - 1; table++) {
            words.putLong(table * Pdir.ENTRY_LENGTH, directory.iova(1 + table), LITTLE_ENDIAN);
        }
        for (int page = 0; page < count; page++) {
            final int table = (1 + Pdir.dirIndex(page)) * Pdir.PAGE_SIZE;
            words.putLong(table + Pdir.tableIndex(page) * Pdir.ENTRY_LENGTH, checked(first + page, iovaOf),
                LITTLE_ENDIAN);
        }
        return directory;
    }

    private long checked(final int page, final IntToLongFunction iovaOf) {
        final long iova = iovaOf.applyAsLong(page);
        if (iova == 0 || iova % DmaDomain.PAGE_SIZE != 0) {
            throw new IllegalArgumentException(String.format(
                "page %d of %d has bus address 0x%x: it must be a multiple of %d, and 0 means that there is none",
                page, pages, iova, DmaDomain.PAGE_SIZE));
        }
        return iova;
    }

    /**
     * What the device is told: the {@code pdir_dma} of commands and of the shared region.
     *
     * @return the bus address of the root page, or of the directory page where there is no root page.
     */
    public long pdirDma() {
        return memory.get(0).iova();
    }

    /**
     * How many pages the device finds through it.
     *
     * @return 1 to {@link Pdir#MAX_PAGES}, or {@link Pdir#LARGE_MAX_PAGES} with a root page.
     */
    public int pages() {
        return pages;
    }

    /** Gives directory and tables back. Harmless when called again. */
    @Override
    public void close() {
        memory.forEach(DmaPages::close);
    }

    @Override
    public String toString() {
        return String.format("PageDirectory[pdirDma=0x%x pages=%d]", pdirDma(), pages);
    }
}
