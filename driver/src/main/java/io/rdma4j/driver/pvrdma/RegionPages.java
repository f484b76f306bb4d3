/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.DmaArena;
import io.rdma4j.driver.dma.PageDirectory;
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
     * Whether the device can still reach the memory: as long as there are users, and afterwards if the IOMMU refused to
     * unmap it. The memory must be kept alive until then.
     *
     * @return true if it can.
     */
    public boolean isMapped() {
        return !mappings.isReleased();
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
