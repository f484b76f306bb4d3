/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.jfr.Flight;
import io.rdma4j.driver.jfr.MemorySpan;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.hw.pvrdma.AccessFlags;
import io.rdma4j.hw.pvrdma.Pdir;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A region of this process' memory that the device may use: some {@link RegionPages}, known to the device by keys, with
 * an IOVA and rights. Closing runs backwards: first the device gives it up, then, unless other regions share the pages,
 * directory and mapping go. Thread-safe.
 */
public final class MemoryRegistration implements AutoCloseable {
    private static final String OPERATION = "register memory";
    private static final int NO_HANDLE = -1;
    private static final long PAGE_MASK = DmaDomain.PAGE_SIZE - 1;

    private final PvrdmaCommands commands;
    private final RegionPages pages;
    private final long iova;
    private final MrKeys keys;
    private final AtomicBoolean closed = new AtomicBoolean();

    private MemoryRegistration(
        final PvrdmaCommands commands, final RegionPages pages, final long iova, final MrKeys keys) {
        this.commands = commands;
        this.pages = pages;
        this.iova = iova;
        this.keys = keys;
    }

    /** Whether a range of this process can be a region of the device, as far as that is known without asking it. */
    static void requireRange(
        final long address, final long length, final DeviceLimits limits, final boolean wholePages,
        final Object deviceName) {
        if (length <= 0) {
            throw refused(deviceName, "length %d, must be above 0", length);
        }
        if (address <= 0 || address > Long.MAX_VALUE - length - PAGE_MASK) {
            throw refused(deviceName, "address 0x%x, length %d: no range of this process", address, length);
        }
        requireSize(address, length, limits, wholePages, deviceName);
    }

    /** The same for so many pages that are not a range. */
    static void requireList(
        final int pages, final int offset, final long length, final DeviceLimits limits, final boolean wholePages,
        final Object deviceName) {
        if (length <= 0) {
            throw refused(deviceName, "length %d, must be above 0", length);
        }
        if (offset < 0 || offset > PAGE_MASK) {
            throw refused(deviceName, "offset %d in the first page, allowed are 0 to %d", offset, PAGE_MASK);
        }
        requireSize(offset, length, limits, wholePages, deviceName);
        final long needed = Pdir.pagesSpanned(offset, length);
        if (pages != needed) {
            throw refused(deviceName, "%d pages, but %d bytes from offset %d on need %d", pages, length, offset,
                needed);
        }
    }

    private static void requireSize(
        final long address, final long length, final DeviceLimits limits, final boolean wholePages,
        final Object deviceName) {
        final long pages = Pdir.pagesSpanned(address, length);
        if (pages > limits.maxMrPages()) {
            throw refused(deviceName, "length %d spans %d pages, a page directory reaches %d (%d GiB)", length,
                pages, limits.maxMrPages(), (long) limits.maxMrPages() * Pdir.PAGE_SIZE >> 30);
        }
        final long registered = wholePages ? pages * DmaDomain.PAGE_SIZE : length;
        if (registered > limits.maxMrSize()) {
            throw refused(deviceName, "%d bytes would be registered, max_mr_size is %d", registered,
                limits.maxMrSize());
        }
    }

    private static RdmaException refused(final Object deviceName, final String detail, final Object... values) {
        return RdmaException.of(OPERATION)
            .device(deviceName)
            .detail(detail, values)
            .errno(RdmaException.EINVAL)
            .build();
    }

    /** The pages get one user more, unless this fails. */
    static MemoryRegistration create(
        final PvrdmaCommands commands, final boolean wholePages, final int pd, final RegionPages pages,
        final long iova, final int access) {
        final MemorySpan span = Flight.registerMemory();
        pages.use();
        MrKeys keys = null;
        try {
            final long start = wholePages ? iova & ~PAGE_MASK : iova;
            final long length = wholePages ? (long) pages.pages() * DmaDomain.PAGE_SIZE : pages.length();
            keys = commands.createMr(pd, start, length, access, pages.directory(), pages.pages());
        } finally {
            if (keys == null) {
                pages.letGo();
            }
            span.end(commands.deviceName(), pages.address(), pages.length(), pages.pages(),
                keys == null ? NO_HANDLE : keys.handle());
        }
        final boolean zeroBased = (access & AccessFlags.PVRDMA_ZERO_BASED) != 0;
        return new MemoryRegistration(commands, pages, zeroBased ? 0 : iova, keys);
    }

    static void requireIova(
        final RegionPages pages, final long iova, final boolean wholePages, final Object deviceName) {
        if ((iova & PAGE_MASK) != pages.offset()) {
            throw refused(deviceName, "IOVA 0x%x is byte %d of its page, the memory begins at byte %d of its page",
                iova, iova & PAGE_MASK, pages.offset());
        }
        if (Long.compareUnsigned(iova + pages.length() - 1, iova) < 0) {
            throw refused(deviceName, "IOVA 0x%x, length %d wraps around", iova, pages.length());
        }
        if (wholePages && Long.compareUnsigned(iova, DmaDomain.PAGE_SIZE) < 0) {
            throw refused(deviceName, "IOVA 0x%x is in the first page, and the device %s", iova,
                Quirk.MR_START_ZERO_LEAKS.description());
        }
    }

    /**
     * Where this process sees the first byte.
     *
     * @return an address of this process.
     */
    public long address() {
        return pages.address();
    }

    /**
     * How work requests name the first byte.
     *
     * @return 0 for a zero-based region.
     */
    public long iova() {
        return iova;
    }

    /**
     * Size.
     *
     * @return bytes, as asked for.
     */
    public long length() {
        return pages.length();
    }

    /**
     * The key for work requests of this device.
     *
     * @return as the device gave it.
     */
    public int lkey() {
        return keys.lkey();
    }

    /**
     * The key for work requests of peers.
     *
     * @return as the device gave it.
     */
    public int rkey() {
        return keys.rkey();
    }

    /**
     * The number for commands.
     *
     * @return as the device gave it.
     */
    public int handle() {
        return keys.handle();
    }

    /**
     * Whether the device gave it up.
     *
     * @return true after {@link #close()}.
     */
    public boolean isClosed() {
        return closed.get();
    }

    /**
     * Whether the device can still reach the memory by these pages: as long as this is open, and afterwards if other
     * regions share them or the IOMMU refused to unmap them. The memory must be kept alive until then.
     *
     * @return true if it can.
     */
    public boolean isMapped() {
        return pages.isMapped();
    }

    /**
     * Takes the region from the device, then ends the device's access to memory that no other region shares, even if
     * the device objects. Harmless when called again, and after the device was closed.
     *
     * @throws RdmaException as the device says; the memory is unmapped nevertheless, unless it is shared.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            final MemorySpan span = Flight.deregisterMemory();
            try {
                commands.destroyMr(keys.handle());
            } finally {
                pages.letGo();
                span.end(commands.deviceName(), address(), length(), pages.pages(), keys.handle());
            }
        }
    }

    @Override
    public String toString() {
        return String.format("MemoryRegistration[address=0x%x iova=0x%x length=%d lkey=0x%x rkey=0x%x%s]",
            address(), iova, length(), lkey(), rkey(), closed.get() ? " closed" : "");
    }
}
