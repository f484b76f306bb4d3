/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pci;

import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongUnaryOperator;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Page-aligned memory that a device can reach, contiguous in this process. Contiguous in IOVAs, too, where something
 * translates them; without an IOMMU each page is where it is in the machine.
 *
 * <p>Closing ends the device's access at once; if a {@link DmaMapping} of a part of it is still open, then with that.
 * The process' own mapping lives on until nobody holds this object or one of its buffers (the garbage collector frees
 * it): a thread that still writes through an old buffer then writes into memory that is its own, and cannot crash the
 * JVM.
 *
 * <p>Thread-safe as an object; the bytes are as safe as their users make them.
 */
public final class DmaMemory implements AutoCloseable {
    private final ByteBuffer memory;
    private final LongUnaryOperator iovas;
    private final Runnable release;
    private final SharedFile shared;
    private final AtomicBoolean closed = new AtomicBoolean();

    /**
     * For providers.
     *
     * @param memory  a direct buffer over whole pages, whose position 0 is page-aligned; kept alive by this object.
     * @param iova    where the device sees the first byte; a multiple of the page size, not 0.
     * @param release ends the device's access; run once, by the first {@link #close()}.
     * @throws IllegalArgumentException if memory or iova break the rules above.
     */
    public DmaMemory(final ByteBuffer memory, final long iova, final Runnable release) {
        this(memory, offset -> iova + offset, release, null);
    }

    /**
     * For providers, of memory that other processes can read.
     *
     * @param memory  a direct buffer over whole pages, whose position 0 is page-aligned; kept alive by this object.
     * @param iovas   where the device sees a byte, by its offset; a multiple of the page size for a page, not 0.
     * @param release ends the device's access; run once, by the first {@link #close()}.
     * @param shared  where they find its first byte, and all of it behind; null if they do not.
     * @throws IllegalArgumentException if memory or iova break the rules above.
     */
    public DmaMemory(
        final ByteBuffer memory, final LongUnaryOperator iovas, final Runnable release, final SharedFile shared) {
        final long iova = iovas.applyAsLong(0);
        final long address = memory.isDirect() ? BufferUtil.address(memory) : -1;
        if (address % DmaDomain.PAGE_SIZE != 0 || memory.capacity() % DmaDomain.PAGE_SIZE != 0) {
            throw new IllegalArgumentException("DMA memory must be direct and in whole aligned pages: " + memory
                + " at 0x" + Long.toHexString(address));
        }
        if (iova == 0 || iova % DmaDomain.PAGE_SIZE != 0) {
            throw new IllegalArgumentException("IOVA must be page-aligned and not 0: 0x" + Long.toHexString(iova));
        }
        this.memory = memory;
        this.iovas = iovas;
        this.release = release;
        this.shared = shared;
    }

    /**
     * Where other processes find the memory. After {@link #close()} something else may be there.
     *
     * @return the file, and where in it the first byte is; empty if this process has it for itself.
     */
    public Optional<SharedFile> shared() {
        return Optional.ofNullable(shared);
    }

    /**
     * Where this process sees the first byte.
     *
     * @return a page-aligned virtual address.
     */
    public long address() {
        return BufferUtil.address(memory);
    }

    /**
     * Where the device sees the first byte.
     *
     * @return a page-aligned IOVA.
     */
    public long iova() {
        return iovas.applyAsLong(0);
    }

    /**
     * Where the device sees a byte.
     *
     * @param offset of it, 0 to {@link #length()} - 1.
     * @return its IOVA.
     * @throws IndexOutOfBoundsException if it is not inside.
     */
    public long iova(final long offset) {
        return iovas.applyAsLong(Objects.checkIndex(offset, length()));
    }

    /**
     * Size.
     *
     * @return bytes, a multiple of the page size.
     */
    public long length() {
        return memory.capacity();
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
        return new UnsafeBuffer(memory, offset, length);
    }

    /**
     * A view of all of it, which keeps the memory alive.
     *
     * @return a new buffer.
     */
    public UnsafeBuffer buffer() {
        return new UnsafeBuffer(memory, 0, memory.capacity());
    }

    /**
     * Whether the device's access was ended.
     *
     * @return true after {@link #close()}.
     */
    public boolean isClosed() {
        return closed.get();
    }

    /** Ends the device's access. Harmless when called again. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            release.run();
        }
    }

    @Override
    public String toString() {
        return String.format("DmaMemory[address=0x%x iova=0x%x length=%d%s]",
            address(), iova(), length(), closed.get() ? " closed" : "");
    }
}
