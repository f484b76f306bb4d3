/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.DmaArena;
import io.rdma4j.driver.dma.PageMappings;
import io.rdma4j.driver.pci.DmaDomain;

/**
 * Memory that regions can be made of: mapped for DMA, and listed in a page directory. Any number of regions can share
 * it, with an IOVA, a protection domain and rights of their own each. It is unmapped when the last of them and the one
 * who made it have let go, in any order. Thread-safe.
 */
public final class RegionPages implements AutoCloseable {
    private final long address;
    private final long length;
    private final PageMappings mappings;
    private final PageDirectory directory;
    private int users = 1;
    private boolean closed;

    private RegionPages(
        final long address, final long length, final PageMappings mappings, final PageDirectory directory) {
        this.address = address;
        this.length = length;
        this.mappings = mappings;
        this.directory = directory;
    }

    /** Takes over the mappings, also if this fails. */
    static RegionPages list(
        final DmaArena arena, final long address, final long length, final PageMappings mappings) {
        PageDirectory directory = null;
        try {
            directory = PageDirectory.buildLarge(arena, mappings.pages(), mappings::iova);
        } finally {
            if (directory == null) {
                mappings.close();
            }
        }
        return new RegionPages(address, length, mappings, directory);
    }

    /**
     * Where this process sees the first byte.
     *
     * @return an address in the first page.
     */
    public long address() {
        return address;
    }

    /**
     * Size.
     *
     * @return bytes, as asked for.
     */
    public long length() {
        return length;
    }

    /**
     * How many pages there are.
     *
     * @return as many as offset and length need.
     */
    public int pages() {
        return mappings.pages();
    }

    /** Where the first byte is in its page. */
    int offset() {
        return (int) (address & DmaDomain.PAGE_SIZE - 1);
    }

    /**
     * What the device is told: where the list of the pages is.
     *
     * @return the bus address of the page directory.
     */
    public long pdirDma() {
        return directory.pdirDma();
    }

    PageDirectory directory() {
        return directory;
    }

    /**
     * Whether the device can still reach the memory by this: as long as there are users, and afterwards if the IOMMU
     * refused to unmap it. The memory must be kept alive until then. Other mappings that share pages with this keep it
     * alive themselves.
     *
     * @return true if it can.
     */
    public boolean isMapped() {
        return !mappings.isReleased();
    }

    /**
     * Whether all pages that a range touches are pages of this.
     *
     * @param from  first byte, as this process sees it.
     * @param bytes above 0, so that the range does not wrap.
     * @return true if so.
     */
    public boolean holds(final long from, final long bytes) {
        final long first = from & -DmaDomain.PAGE_SIZE;
        return mappings.hold(first, pagesEnd(from, bytes) - first);
    }

    private static long pagesEnd(final long from, final long bytes) {
        return from + bytes + DmaDomain.PAGE_SIZE - 1 & -DmaDomain.PAGE_SIZE;
    }

    /**
     * Makes the device reach the pages that are behind some addresses now, for all regions that share this.
     *
     * @param from  first byte of what changed, as this process sees it.
     * @param bytes above 0; all of them lie in pages of this.
     * @param write whether the device must be able to write there.
     * @throws RdmaException as {@link io.rdma4j.driver.pci.DmaMapping#refresh}.
     */
    public void refresh(final long from, final long bytes, final boolean write) {
        final long first = from & -DmaDomain.PAGE_SIZE;
        mappings.refresh(first, pagesEnd(from, bytes) - first, write);
    }

    /**
     * Takes the device's access away until {@link #resume}, for all regions that share this. When this returns no
     * access is under way.
     *
     * @throws RdmaException as {@link io.rdma4j.driver.pci.DmaMapping#suspend}.
     */
    public void suspend() {
        mappings.suspend();
    }

    /**
     * Gives the device access again to pages on demand.
     *
     * @throws RdmaException as {@link io.rdma4j.driver.pci.DmaMapping#refresh}.
     */
    public void resume() {
        mappings.resume();
    }

    /** One user more. */
    synchronized void use() {
        if (users == 0) {
            throw RdmaException.of("register memory").object(this).detail("it was unmapped")
                .errno(RdmaException.EBADFD).build();
        }
        users++;
    }

    /** One user less; the last one ends the device's access. */
    void letGo() {
        final boolean last;
        synchronized (this) {
            users--;
            last = users == 0;
        }
        if (last) {
            try {
                directory.close();
            } finally {
                mappings.close();
            }
        }
    }

    /**
     * The maker lets go. Harmless when called again.
     *
     * @throws RdmaException if nobody else uses it and the IOMMU refuses to unmap it.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        letGo();
    }

    @Override
    public String toString() {
        return String.format("RegionPages[address=0x%x length=%d pages=%d]", address, length, pages());
    }
}
