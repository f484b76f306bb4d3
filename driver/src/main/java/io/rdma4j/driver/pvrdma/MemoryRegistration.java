/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.driver.dma.DmaArena;
import io.rdma4j.driver.dma.PageDirectory;
import io.rdma4j.driver.pci.DmaDomain;
import io.rdma4j.driver.pci.DmaMapping;
import io.rdma4j.hw.pvrdma.Pdir;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A region of this process' memory that the device may use: mapped for DMA, described by a page directory, known to the
 * device by its keys. Closing runs backwards: first the device gives it up, then directory and mapping go. Thread-safe.
 */
public final class MemoryRegistration implements AutoCloseable {
    private static final long PAGE_MASK = DmaDomain.PAGE_SIZE - 1;

    private final PvrdmaCommands commands;
    private final long address;
    private final long length;
    private final DmaMapping mapping;
    private final PageDirectory directory;
    private final MrKeys keys;
    private final AtomicBoolean closed = new AtomicBoolean();

    private MemoryRegistration(
        final PvrdmaCommands commands, final long address, final long length, final DmaMapping mapping,
        final PageDirectory directory, final MrKeys keys) {
        this.commands = commands;
        this.address = address;
        this.length = length;
        this.mapping = mapping;
        this.directory = directory;
        this.keys = keys;
    }

    /**
     * What to register.
     *
     * @param pd      handle of the protection domain.
     * @param address first byte.
     * @param length  bytes.
     * @param access  flags, passed on as they are.
     * @param owner   what keeps the memory alive; may be null.
     */
    record Request(int pd, long address, long length, int access, Object owner) {
        void validate(final DeviceLimits limits, final boolean wholePages, final Object deviceName) {
            if (length <= 0) {
                throw refused(deviceName, "length %d, must be above 0", length);
            }
            if (address <= 0 || address > Long.MAX_VALUE - length - PAGE_MASK) {
                throw refused(deviceName, "address 0x%x, length %d: no range of this process", address, length);
            }
            final long pages = Pdir.pagesSpanned(address, length);
            if (pages > Pdir.MAX_PAGES) {
                throw refused(deviceName, "length %d spans %d pages, a page directory reaches %d (1 GiB)", length,
                    pages, Pdir.MAX_PAGES);
            }
            final long registered = wholePages ? pages * DmaDomain.PAGE_SIZE : length;
            if (registered > limits.maxMrSize()) {
                throw refused(deviceName, "%d bytes would be registered, max_mr_size is %d", registered,
                    limits.maxMrSize());
            }
        }

        private static RdmaException refused(final Object deviceName, final String detail, final Object... values) {
            return RdmaException.of("register memory")
                .device(deviceName)
                .detail(detail, values)
                .errno(RdmaException.EINVAL)
                .build();
        }
    }

    static MemoryRegistration create(
        final PvrdmaCommands commands, final DmaDomain dma, final DmaArena arena, final boolean wholePages,
        final Request request) {
        final DmaMapping mapping = dma.map(request.address, request.length, request.owner);
        PageDirectory directory = null;
        MrKeys keys = null;
        try {
            directory = PageDirectory.of(arena, mapping);
            final long start = wholePages ? request.address & ~PAGE_MASK : request.address;
            final long length = wholePages ? mapping.length() : request.length;
            keys = commands.createMr(request.pd, start, length, request.access, directory, directory.pages());
        } finally {
            if (keys == null) {
                if (directory != null) {
                    directory.close();
                }
                mapping.close();
            }
        }
        return new MemoryRegistration(commands, request.address, request.length, mapping, directory, keys);
    }

    /**
     * First byte, also the address that work requests use.
     *
     * @return an address of this process.
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

    private void unmap() {
        try {
            directory.close();
        } finally {
            mapping.close();
        }
    }

    /**
     * Whether the device can still reach the memory: as long as this is open, and afterwards if the IOMMU refused to
     * unmap it. The memory must be kept alive until then.
     *
     * @return true if it can.
     */
    public boolean isMapped() {
        return !mapping.isReleased();
    }

    /**
     * Takes the region from the device, then ends the device's access to the memory, even if the device objects.
     * Harmless when called again, and after the device was closed.
     *
     * @throws RdmaException as the device says; the memory is unmapped nevertheless.
     */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            try {
                commands.destroyMr(keys.handle());
            } finally {
                unmap();
            }
        }
    }

    @Override
    public String toString() {
        return String.format("MemoryRegistration[address=0x%x length=%d lkey=0x%x rkey=0x%x%s]",
            address, length, lkey(), rkey(), closed.get() ? " closed" : "");
    }
}
