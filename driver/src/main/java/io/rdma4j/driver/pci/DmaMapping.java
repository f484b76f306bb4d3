/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * User memory that a device can reach until this is closed: whole pages, contiguous in IOVAs. Thread-safe.
 */
public final class DmaMapping implements AutoCloseable {
    private final long pageAddress;
    private final long length;
    private final long iova;
    private final Runnable release;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean released;
    /** Only held, never used. */
    private volatile Object owner;

    /**
     * For providers.
     *
     * @param pageAddress first byte of the first page, in this process.
     * @param length      bytes, whole pages.
     * @param iova        where the device sees the first page; page-aligned, not 0.
     * @param owner       what keeps the memory alive, held until closed; may be null.
     * @param release     ends the device's access; run once.
     */
    public DmaMapping(
        final long pageAddress, final long length, final long iova, final Object owner, final Runnable release) {
        if (pageAddress % DmaDomain.PAGE_SIZE != 0 || length <= 0 || length % DmaDomain.PAGE_SIZE != 0
            || iova == 0 || iova % DmaDomain.PAGE_SIZE != 0) {
            throw new IllegalArgumentException(String.format(
                "a DMA mapping is in whole pages: address 0x%x length 0x%x iova 0x%x", pageAddress, length, iova));
        }
        this.pageAddress = pageAddress;
        this.length = length;
        this.iova = iova;
        this.owner = owner;
        this.release = release;
    }

    /**
     * First byte of the first page, in this process.
     *
     * @return a page-aligned virtual address, at or below the address that was asked for.
     */
    public long pageAddress() {
        return pageAddress;
    }

    /**
     * Where the device sees the first page.
     *
     * @return a page-aligned IOVA.
     */
    public long iova() {
        return iova;
    }

    /**
     * Size in whole pages.
     *
     * @return bytes, a multiple of the page size.
     */
    public long length() {
        return length;
    }

    /**
     * Whether the device's access ended.
     *
     * @return false as long as this is open, and after a {@link #close()} that failed.
     */
    public boolean isReleased() {
        return released;
    }

    /** Ends the device's access and, if that succeeds, lets go of the owner. Harmless when called again. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            release.run();
            released = true;
            owner = null;
        }
    }

    @Override
    public String toString() {
        return String.format("DmaMapping[address=0x%x iova=0x%x length=%d%s]",
            pageAddress, iova, length, closed.get() ? " closed" : "");
    }
}
