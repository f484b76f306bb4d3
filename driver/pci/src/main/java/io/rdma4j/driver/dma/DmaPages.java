/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import static io.rdma4j.driver.pci.DmaDomain.PAGE_SIZE;

import io.rdma4j.driver.pci.DmaMemory;

import java.util.concurrent.atomic.AtomicBoolean;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Some pages of a {@link DmaArena}: contiguous in this process, each somewhere for the device, zeroed when they were
 * handed out.
 * The memory stays this process' own after closing, so that a late write through an old buffer crashes nothing.
 */
public final class DmaPages implements AutoCloseable {
    private final DmaArena arena;
    private final DmaMemory chunk;
    private final int firstPage;
    private final int pages;
    private final AtomicBoolean closed = new AtomicBoolean();

    DmaPages(final DmaArena arena, final DmaMemory chunk, final int firstPage, final int pages) {
        this.arena = arena;
        this.chunk = chunk;
        this.firstPage = firstPage;
        this.pages = pages;
    }

    /**
     * How many pages these are.
     *
     * @return at least 1.
     */
    public int pages() {
        return pages;
    }

    /**
     * Size.
     *
     * @return bytes, whole pages.
     */
    public int length() {
        return pages * PAGE_SIZE;
    }

    /**
     * Where this process sees the first byte.
     *
     * @return a page-aligned virtual address.
     */
    public long address() {
        return chunk.address() + (long) firstPage * PAGE_SIZE;
    }

    /**
     * Where the device sees the first byte.
     *
     * @return a page-aligned bus address, not 0.
     */
    public long iova() {
        return chunk.iova((long) firstPage * PAGE_SIZE);
    }

    /**
     * Where the device sees one page.
     *
     * @param page from 0.
     * @return a page-aligned bus address.
     * @throws IndexOutOfBoundsException if there is no such page.
     */
    public long iova(final int page) {
        if (page < 0 || page >= pages) {
            throw new IndexOutOfBoundsException("page " + page + " of " + pages);
        }
        return chunk.iova((long) (firstPage + page) * PAGE_SIZE);
    }

    /**
     * A view of all of it, which keeps the memory alive.
     *
     * @return a new buffer.
     */
    public UnsafeBuffer buffer() {
        return buffer(0, length());
    }

    /**
     * A view of a part, which keeps the memory alive.
     *
     * @param offset first byte, from 0.
     * @param length bytes.
     * @return a new buffer.
     * @throws IndexOutOfBoundsException if the part is not inside.
     */
    public UnsafeBuffer buffer(final int offset, final int length) {
        if (offset < 0 || length < 0 || offset > length() - length) {
            throw new IndexOutOfBoundsException(offset + " + " + length + " is not within " + length() + " bytes");
        }
        return chunk.buffer(firstPage * PAGE_SIZE + offset, length);
    }

    /** Gives the pages back to their arena. Harmless when called again, and after the arena was closed. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            arena.release(chunk, firstPage, pages);
        }
    }

    @Override
    public String toString() {
        return String.format("DmaPages[address=0x%x iova=0x%x pages=%d%s]",
            address(), iova(), pages, closed.get() ? " closed" : "");
    }
}
