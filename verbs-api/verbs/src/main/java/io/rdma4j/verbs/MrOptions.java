/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;

/**
 * What to register, or what to change about a region: see {@link ProtectionDomain#register(MrOptions)} and
 * {@link MemoryRegion#reregister}. What is not set has its default, or stays as it is.
 *
 * <p>The memory is a range of addresses of this process (register virtual), a {@link PageList} (register physical) or
 * a part of a dma-buf; what is set last counts. Not thread-safe; can be used several times.
 */
public final class MrOptions {
    private static final String OPERATION = "describe a region";
    private static final int NONE = -1;

    private boolean hasMemory;
    private long address;
    private Object owner;
    private boolean readOnly;
    private boolean allMemory;
    private int dmaBuf = NONE;
    private PageList pages;
    private int offset;
    private boolean hasLength;
    private long length;
    private boolean hasIova;
    private long iova;
    private boolean zeroBased;
    private Set<AccessFlag> access;
    private ProtectionDomain pd;

    /** Nothing is set. */
    public MrOptions() {
        // All fields have their defaults.
    }

    /**
     * Memory by address. The caller keeps it mapped as long as it is registered.
     *
     * @param firstByte its address in this process, any alignment.
     * @param bytes     its length.
     * @return this.
     */
    public MrOptions memory(final long firstByte, final long bytes) {
        return memory(firstByte, bytes, null);
    }

    /**
     * Memory by address, and what keeps it mapped.
     *
     * @param firstByte its address in this process, any alignment.
     * @param bytes     its length.
     * @param keeper    held as long as the memory is registered; null for none.
     * @return this.
     */
    public MrOptions memory(final long firstByte, final long bytes, final Object keeper) {
        return range(firstByte, bytes, keeper, false);
    }

    private MrOptions range(final long firstByte, final long bytes, final Object keeper, final boolean isReadOnly) {
        hasMemory = true;
        address = firstByte;
        owner = keeper;
        readOnly = isReadOnly;
        allMemory = false;
        dmaBuf = NONE;
        pages = null;
        offset = 0;
        return length(bytes);
    }

    /**
     * All memory of this process, also what is mapped later; needs {@link AccessFlag#ON_DEMAND}. Work requests name it
     * by the addresses of this process. A remote right gives peers all of this process.
     *
     * @return this.
     */
    public MrOptions allMemory() {
        range(0, Long.MAX_VALUE, null, false);
        allMemory = true;
        return this;
    }

    /**
     * A part of a dma-buf, which this process need not be able to map. Without {@link #iova} work requests name the
     * first byte by its place in the dma-buf.
     *
     * @param fd    file descriptor. The device holds the memory itself, but keep the descriptor open if the region is
     *              to be registered anew or shared.
     * @param first first byte in the dma-buf.
     * @param bytes its length.
     * @return this.
     * @throws RdmaException EINVAL for negative numbers.
     */
    public MrOptions dmaBuf(final int fd, final long first, final long bytes) {
        if (fd < 0 || first < 0 || bytes < 0) {
            throw RdmaException.of(OPERATION)
                .detail("dma-buf fd %d, %d bytes from byte %d: none can be negative", fd, bytes, first)
                .errno(RdmaException.EINVAL).build();
        }
        range(first, bytes, null, false);
        dmaBuf = fd;
        return this;
    }

    /**
     * All of a piece of memory that was allocated from the device.
     *
     * @param memory memory of the same context.
     * @return this.
     * @throws RdmaException EINVAL for null.
     */
    public MrOptions memory(final PinnedMemory memory) {
        notNull(memory, "memory");
        return range(memory.address(), memory.length(), memory, false);
    }

    /**
     * A direct buffer, from its position to its limit as they are now.
     *
     * @param buffer kept from being collected as long as it is registered.
     * @return this.
     * @throws RdmaException EINVAL for null and for a buffer on the Java heap.
     */
    public MrOptions buffer(final ByteBuffer buffer) {
        notNull(buffer, "buffer");
        requireDirect(buffer.isDirect(), buffer);
        return range(BufferUtil.address(buffer) + buffer.position(), buffer.remaining(), buffer, buffer.isReadOnly());
    }

    /**
     * An Agrona buffer over direct memory, from 0 to its capacity as it is now.
     *
     * @param buffer what is under it is kept from being collected as long as it is registered.
     * @return this.
     * @throws RdmaException EINVAL for null and for a buffer on the Java heap.
     */
    public MrOptions buffer(final DirectBuffer buffer) {
        notNull(buffer, "buffer");
        final ByteBuffer under = buffer.byteBuffer();
        requireDirect(buffer.byteArray() == null && (under == null || under.isDirect()), buffer);
        // The view can be wrapped around other memory later, so what is under it is held.
        return range(buffer.addressOffset(), buffer.capacity(), under == null ? buffer : under,
            under != null && under.isReadOnly());
    }

    /**
     * Pages of this process in an order of one's own: the region begins in the first and goes on in the next, wherever
     * that lies. It may end anywhere in the last one.
     *
     * @param list  the pages; as many as offset and length need.
     * @param first where the region begins in the first page, 0 to 4095.
     * @param bytes its length.
     * @return this.
     * @throws RdmaException EINVAL for null.
     */
    public MrOptions pages(final PageList list, final int first, final long bytes) {
        notNull(list, "list of pages");
        range(0, bytes, null, false);
        pages = list;
        offset = first;
        return this;
    }

    /**
     * Another length than the memory has that was named before, or, when registering anew, than the region has now.
     *
     * @param bytes at least 1. Of a buffer or of {@link PinnedMemory}, at most what it has from the first byte on. With
     *              pages, so many that none is left over.
     * @return this.
     */
    public MrOptions length(final long bytes) {
        hasLength = true;
        length = bytes;
        return this;
    }

    /**
     * The address by which work requests name the first byte. Default: the memory's own; of pages, that of the first
     * byte in this process. When registering anew, an address that was asked for before stays, a default follows the
     * memory.
     *
     * @param first any address with the same lowest 12 bits as the first byte; unsigned.
     * @return this.
     */
    public MrOptions iova(final long first) {
        hasIova = true;
        iova = first;
        zeroBased = false;
        return this;
    }

    /**
     * Work requests count from 0, wherever in its page the first byte lies. Atomics are for memory that begins at a
     * multiple of 8 only.
     *
     * @return this.
     */
    public MrOptions zeroBased() {
        iova(0);
        zeroBased = true;
        return this;
    }

    /**
     * What the region allows besides local read. Default: nothing.
     *
     * @param flags rights; remote write and remote atomic need local write.
     * @return this.
     * @throws RdmaException EINVAL for null.
     */
    public MrOptions access(final AccessFlag... flags) {
        notNull(flags, "access");
        final EnumSet<AccessFlag> set = EnumSet.noneOf(AccessFlag.class);
        for (final AccessFlag flag : flags) {
            notNull(flag, "an access flag");
            set.add(flag);
        }
        access = Collections.unmodifiableSet(set);
        return this;
    }

    /**
     * Moves a region to another domain. Only for {@link MemoryRegion#reregister}: a new region is in the domain that
     * registers it.
     *
     * @param domain of the same context.
     * @return this.
     * @throws RdmaException EINVAL for null.
     */
    public MrOptions pd(final ProtectionDomain domain) {
        notNull(domain, "protection domain");
        pd = domain;
        return this;
    }

    private static void notNull(final Object value, final String name) {
        if (value == null) {
            throw RdmaException.of(OPERATION).detail("%s is null", name).errno(RdmaException.EINVAL).build();
        }
    }

    private static void requireDirect(final boolean direct, final Object buffer) {
        if (!direct) {
            throw RdmaException.of(OPERATION)
                .detail("%s is on the Java heap, where it may move", buffer)
                .errno(RdmaException.EINVAL)
                .hint("use ByteBuffer.allocateDirect, or RdmaContext.allocate")
                .build();
        }
    }

    /**
     * Whether memory was named, in whatever way.
     *
     * @return true if so.
     */
    public boolean hasMemory() {
        return hasMemory;
    }

    /**
     * The first byte of a range.
     *
     * @return an address of this process, or a place in a dma-buf; 0 without a range.
     */
    public long address() {
        return address;
    }

    /**
     * What keeps a range mapped.
     *
     * @return a buffer, {@link PinnedMemory}, or whatever was given; null if nothing was.
     */
    public Object owner() {
        return owner;
    }

    /**
     * Whether the range is a buffer that must not be written.
     *
     * @return true if so.
     */
    public boolean isReadOnly() {
        return readOnly;
    }

    /**
     * Whether the range is all memory of this process.
     *
     * @return true if so.
     */
    public boolean isAllMemory() {
        return allMemory;
    }

    /**
     * The dma-buf.
     *
     * @return its file descriptor; -1 if the memory is not of a dma-buf.
     */
    public int dmaBuf() {
        return dmaBuf;
    }

    /**
     * The pages.
     *
     * @return null if there are none, but a range or nothing.
     */
    public PageList pages() {
        return pages;
    }

    /**
     * Where the region begins in the first page of {@link #pages()}.
     *
     * @return as it was given.
     */
    public int offset() {
        return offset;
    }

    /**
     * Whether a length was given, by itself or with the memory.
     *
     * @return true if so.
     */
    public boolean hasLength() {
        return hasLength;
    }

    /**
     * Size.
     *
     * @return bytes, as given; 0 if not given.
     */
    public long length() {
        return length;
    }

    /**
     * Whether an IOVA was asked for, also by {@link #zeroBased()}.
     *
     * @return true if so.
     */
    public boolean hasIova() {
        return hasIova;
    }

    /**
     * The address by which work requests name the first byte.
     *
     * @return as given; 0 if not given, or zero-based.
     */
    public long iova() {
        return iova;
    }

    /**
     * Whether work requests count from 0.
     *
     * @return true if so.
     */
    public boolean isZeroBased() {
        return zeroBased;
    }

    /**
     * The rights.
     *
     * @return an unmodifiable set; null if they were not given.
     */
    public Set<AccessFlag> accessFlags() {
        return access;
    }

    /**
     * The domain to move to.
     *
     * @return null if none was given.
     */
    public ProtectionDomain pd() {
        return pd;
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder("MrOptions[");
        text.append(pages != null ? pages + " offset=" + offset
            : dmaBuf != NONE ? "dma-buf fd=" + dmaBuf + " offset=" + address
            : hasMemory ? String.format("address=0x%x", address) : "no memory");
        if (hasLength) {
            text.append(" length=").append(length);
        }
        if (hasIova) {
            text.append(zeroBased ? " zero-based" : String.format(" iova=0x%x", iova));
        }
        if (access != null) {
            text.append(" access=").append(access);
        }
        return text.append(pd == null ? "" : " pd=" + pd).append(']').toString();
    }
}
