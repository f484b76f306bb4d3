/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

import io.rdma4j.RdmaException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongUnaryOperator;

/**
 * User memory that a device can reach until this is closed: whole pages. Contiguous in IOVAs where something
 * translates them; without an IOMMU each page is where it is in the machine. Thread-safe.
 *
 * <p>A provider may have mappings of one buffer, or of one {@link DmaMemory}, share their pages in the IOMMU. The
 * device then reaches these until the last of them is closed. What is shared keeps the memory alive that long by
 * itself.
 */
public final class DmaMapping implements AutoCloseable {
    private final long pageAddress;
    private final long length;
    private final LongUnaryOperator iovas;
    private final Runnable release;
    private final Refresher refresher;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean released;
    /** Only held, never used. */
    @SuppressWarnings("unused") // Holds it.
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
        this(pageAddress, length, offset -> iova + offset, owner, release, DmaMapping::cannotRefresh);
    }

    /**
     * For providers whose mappings can be refreshed.
     *
     * @param pageAddress first byte of the first page, in this process.
     * @param length      bytes, whole pages.
     * @param iovas       where the device sees a byte, by its offset; page-aligned for a page, not 0.
     * @param owner       what keeps the memory alive, held until closed; may be null.
     * @param release     ends the device's access; run once.
     * @param refresher   does what {@link #refresh} asks for.
     */
    public DmaMapping(
        final long pageAddress, final long length, final LongUnaryOperator iovas, final Object owner,
        final Runnable release, final Refresher refresher) {
        final long iova = iovas.applyAsLong(0);
        if (pageAddress % DmaDomain.PAGE_SIZE != 0 || length <= 0 || length % DmaDomain.PAGE_SIZE != 0
            || iova == 0 || iova % DmaDomain.PAGE_SIZE != 0) {
            throw new IllegalArgumentException(String.format(
                "a DMA mapping is in whole pages: address 0x%x length 0x%x iova 0x%x", pageAddress, length, iova));
        }
        this.pageAddress = pageAddress;
        this.length = length;
        this.iovas = iovas;
        this.owner = owner;
        this.release = release;
        this.refresher = refresher;
    }

    /** Makes the device reach other pages at the same place. */
    @FunctionalInterface
    public interface Refresher {
        /**
         * Does it.
         *
         * @param address first byte of what changed, page-aligned.
         * @param length  bytes, whole pages.
         * @param write   whether the device must be able to write there.
         */
        void refresh(long address, long length, boolean write);

        /** Does what {@link DmaMapping#suspend} asks for. */
        default void suspend() {
            throw RdmaException.of("suspend mapping").detail("this platform cannot do that")
                .errno(RdmaException.EOPNOTSUPP).build();
        }
    }

    private static void cannotRefresh(final long address, final long length, final boolean write) {
        throw RdmaException.of("refresh mapping").detail("this platform cannot do that")
            .errno(RdmaException.EOPNOTSUPP).build();
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
        return iovas.applyAsLong(0);
    }

    /**
     * Where the device sees a byte.
     *
     * @param offset of it, from the first page's first byte; 0 to {@link #length()} - 1.
     * @return its IOVA.
     * @throws IndexOutOfBoundsException if it is not inside.
     */
    public long iova(final long offset) {
        return iovas.applyAsLong(Objects.checkIndex(offset, length));
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
     * Whether the device's access by this ended; it may have another one, by what shares pages with this.
     *
     * @return false as long as this is open, and after a {@link #close()} that failed: then the memory must be kept
     *         alive still.
     */
    public boolean isReleased() {
        return released;
    }

    /**
     * Makes the device reach the pages that are behind some addresses now, at the same IOVAs, as the process may have
     * mapped others there. Mappings that share pages with this in the IOMMU see the new ones, too.
     *
     * @param address first byte of what changed; page-aligned, inside.
     * @param bytes   how much, whole pages.
     * @param write   whether the device must be able to write there.
     * @throws RdmaException EBADFD if this is closed; EOPNOTSUPP if the platform cannot do that; EFAULT or ENOMEM if it
     *                       cannot reach the new pages: then it reaches nothing by this until a later call succeeds.
     * @throws IllegalArgumentException if the range is not inside, or not in whole pages.
     */
    public void refresh(final long address, final long bytes, final boolean write) {
        if ((address | bytes) % DmaDomain.PAGE_SIZE != 0 || bytes <= 0 || address < pageAddress
            || bytes > length - (address - pageAddress)) {
            throw new IllegalArgumentException(String.format("0x%x+%d is not in whole pages of %s", address, bytes,
                this));
        }
        requireOpen("refresh mapping");
        refresher.refresh(address, bytes, write);
    }

    /**
     * Takes the device's access away until {@link #refresh} succeeds; IOVAs stay. When this returns no access is under
     * way.
     *
     * @throws RdmaException EBADFD if this is closed; EOPNOTSUPP if the platform cannot do that.
     */
    public void suspend() {
        requireOpen("suspend mapping");
        refresher.suspend();
    }

    private void requireOpen(final String operation) {
        if (closed.get()) {
            throw RdmaException.of(operation).object(this).errno(RdmaException.EBADFD).build();
        }
    }

    /**
     * Ends the device's access, or this one's part in it if another mapping shares pages with this: then it ends with
     * the last of them. Lets go of the owner, unless this fails. Harmless when called again.
     */
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
            pageAddress, iova(), length, closed.get() ? " closed" : "");
    }
}
