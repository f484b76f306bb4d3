/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMemory;
import io.rdma4j.hw.pvrdma.Pdir;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.stream.IntStream;

/**
 * Pages that stand in some order behind one another for the device: a byte has a logical offset, counted in the
 * device's order. Bytes are reached within a page, so that no order of pages can hide a mistake.
 */
final class RawPages implements AutoCloseable {
    private static final int PAGE = Pdir.PAGE_SIZE;

    private final DmaDomain dma;
    private final DmaMemory memory;
    private final UnsafeBuffer buffer;
    private final int[] order;
    private RawDirectory directory;

    /** Most pages that are really there. */
    static final int MAX_REAL = 1 << 14;

    RawPages(final DmaDomain dma, final int[] order) {
        this(dma, order, order.length);
    }

    /** Of fewer pages than are listed, which then stand there several times. */
    RawPages(final DmaDomain dma, final int[] order, final int real) {
        if (real < 1 || real > MAX_REAL || order.length > Pdir.MAX_PAGES
            || IntStream.of(order).anyMatch(page -> page < 0 || page >= real)) {
            throw new IllegalArgumentException(order.length + " pages, " + real + " of them real: there are 1 to "
                + Pdir.MAX_PAGES + ", 1 to " + MAX_REAL + " of them real, and named from 0 on");
        }
        this.dma = dma;
        this.order = order.clone();
        this.memory = dma.allocate((long) real * PAGE);
        this.buffer = memory.buffer();
        buffer.setMemory(0, buffer.capacity(), (byte) 0);
    }

    /** Pages in an order that is neither ascending nor descending. */
    static RawPages scattered(final DmaDomain dma, final int pages) {
        if (pages < 1 || pages > MAX_REAL) {
            throw new IllegalArgumentException(pages + " pages of a ring: allowed are 1 to " + MAX_REAL);
        }
        return new RawPages(dma,
            IntStream.range(0, pages).map(i -> i % 2 == 0 ? i / 2 : pages - 1 - i / 2).toArray());
    }

    /** A new directory of some of the pages; the caller owns it. */
    RawDirectory directoryOf(final int first, final int count) {
        if (first < 0 || count < 0 || count > order.length - first) {
            throw new IllegalArgumentException(
                "pages " + first + " to " + (first + count - 1L) + " of memory of " + order.length);
        }
        return new RawDirectory(dma, IntStream.range(first, first + count)
            .mapToLong(i -> memory.iova((long) order[i] * PAGE)).toArray());
    }

    /** DMA address of a directory of all pages. */
    long directory() {
        if (directory == null) {
            directory = directoryOf(0, order.length);
        }
        return directory.dma();
    }

    int pages() {
        return order.length;
    }

    UnsafeBuffer buffer() {
        return buffer;
    }

    /** Where a logical offset is in {@link #buffer()}. */
    int at(final int offset) {
        if (offset < 0 || offset / PAGE >= order.length) {
            throw new IllegalArgumentException("offset " + offset + " in memory of " + order.length + " pages");
        }
        return order[offset / PAGE] * PAGE + offset % PAGE;
    }

    @Override
    public void close() {
        if (directory != null) {
            directory.close();
        }
        memory.close();
    }
}
