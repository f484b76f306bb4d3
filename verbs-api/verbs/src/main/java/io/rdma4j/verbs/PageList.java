/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import io.rdma4j.RdmaException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.agrona.BufferUtil;

/**
 * Pages of {@value #PAGE_SIZE} bytes that shall follow each other in a region: in any order, from any memory, the same
 * one also several times. They are named by their addresses in this process, as an application knows no others; the
 * device finds them where the driver has mapped them (docs/adr/0015). A list has 16,777,216 pages at
 * most, and refuses more with EINVAL.
 *
 * <p>Holds what keeps the pages mapped; so does a region that is made of it. Not thread-safe; it is read when a region
 * is made, and can be changed and used again afterwards.
 */
public final class PageList {
    /** Bytes of a page, whatever the processor's are. */
    public static final int PAGE_SIZE = 4096;

    /** More than a device takes: 64 GiB. */
    private static final int MOST_PAGES = 1 << 24;
    private static final String OPERATION = "list pages";

    private long[] addresses = new long[8];
    /** Index into {@link #owners} for each page. */
    private int[] ownerOf = new int[8];
    private int size;
    private final List<Object> owners = new ArrayList<>();
    private boolean readOnly;

    /** Makes an empty list. */
    public PageList() {
        // Begins with no pages.
    }

    /**
     * Adds a page by its address. The caller keeps it mapped as long as it is registered.
     *
     * @param pageAddress its first byte in this process, a multiple of {@value #PAGE_SIZE}.
     * @return this.
     * @throws RdmaException EINVAL for an address inside of a page.
     */
    public PageList add(final long pageAddress) {
        return add(pageAddress, (Object) null);
    }

    /**
     * Adds a page by its address.
     *
     * @param pageAddress its first byte in this process, a multiple of {@value #PAGE_SIZE}.
     * @param owner       what keeps it mapped, held by the list and its regions; null for none.
     * @return this.
     * @throws RdmaException EINVAL for an address inside of a page.
     */
    public PageList add(final long pageAddress, final Object owner) {
        requirePage(pageAddress, "address");
        append(pageAddress, 1, owner);
        return this;
    }

    /**
     * Adds pages of memory that was allocated from the device.
     *
     * @param memory    memory of the same context as the region.
     * @param firstPage the first one, from 0.
     * @param pages     how many follow each other, 0 or more.
     * @return this.
     * @throws RdmaException EINVAL for null and for pages that are not inside.
     */
    public PageList add(final PinnedMemory memory, final int firstPage, final int pages) {
        notNull(memory, "memory");
        final long last = (long) firstPage + pages;
        if (firstPage < 0 || pages < 0 || last > memory.length() / PAGE_SIZE) {
            throw invalid("pages %d to %d of %s, which has %d", firstPage, last - 1, memory,
                memory.length() / PAGE_SIZE).build();
        }
        append(memory.address() + (long) firstPage * PAGE_SIZE, pages, memory);
        return this;
    }

    /**
     * Adds all pages of memory that was allocated from the device.
     *
     * @param memory memory of the same context as the region.
     * @return this.
     * @throws RdmaException EINVAL for null.
     */
    public PageList add(final PinnedMemory memory) {
        notNull(memory, "memory");
        return add(memory, 0, (int) Math.min(Integer.MAX_VALUE, memory.length() / PAGE_SIZE));
    }

    /**
     * Adds the pages of a direct buffer, from its position to its limit as they are now.
     *
     * @param buffer one whose position lies at the beginning of a page and whose limit at the end of one.
     * @return this.
     * @throws RdmaException EINVAL for null, a buffer on the Java heap, and one that is not whole pages.
     */
    public PageList add(final ByteBuffer buffer) {
        notNull(buffer, "buffer");
        if (!buffer.isDirect()) {
            throw invalid("%s is on the Java heap, where it may move", buffer)
                .hint("use ByteBuffer.allocateDirect, or RdmaContext.allocate").build();
        }
        final long first = BufferUtil.address(buffer) + buffer.position();
        requirePage(first, "address of the position");
        requirePage(buffer.remaining(), "length");
        readOnly |= buffer.isReadOnly();
        append(first, buffer.remaining() / PAGE_SIZE, buffer);
        return this;
    }

    private void append(final long first, final int pages, final Object owner) {
        if (pages > MOST_PAGES - size) {
            throw invalid("%d pages and %d more are more than %d", size, pages, MOST_PAGES).build();
        }
        final int last = size + pages;
        if (last > addresses.length) {
            final int room = Math.min(MOST_PAGES, Math.max(last, addresses.length * 2));
            addresses = Arrays.copyOf(addresses, room);
            ownerOf = Arrays.copyOf(ownerOf, room);
        }
        final int index = ownerIndex(owner);
        for (int i = 0; i < pages; i++) {
            addresses[size] = first + (long) i * PAGE_SIZE;
            ownerOf[size++] = index;
        }
    }

    /** Pages come in rows with one owner, mostly: only the last one is looked at. */
    private int ownerIndex(final Object owner) {
        if (owners.isEmpty() || owners.get(owners.size() - 1) != owner) {
            owners.add(owner);
        }
        return owners.size() - 1;
    }

    private static void requirePage(final long value, final String name) {
        if (value % PAGE_SIZE != 0) {
            throw invalid("%s is 0x%x, must be a multiple of %d", name, value, PAGE_SIZE)
                .hint("RdmaContext.allocate gives whole pages; of a larger direct buffer, "
                    + "alignedSlice(4096) is a part that is").build();
        }
    }

    private static void notNull(final Object value, final String name) {
        if (value == null) {
            throw invalid("%s is null", name).build();
        }
    }

    private static RdmaException.Builder invalid(final String format, final Object... values) {
        return RdmaException.of(OPERATION).detail(format, values).errno(RdmaException.EINVAL);
    }

    /**
     * How many pages there are, the repeated ones counted each time.
     *
     * @return 0 or more.
     */
    public int size() {
        return size;
    }

    /**
     * Where this process sees a page.
     *
     * @param i which, from 0.
     * @return the address of its first byte.
     * @throws IndexOutOfBoundsException if there is none.
     */
    public long address(final int i) {
        return addresses[requireIndex(i)];
    }

    /**
     * What keeps a page mapped.
     *
     * @param i which, from 0.
     * @return as it was given; null if nothing was.
     * @throws IndexOutOfBoundsException if there is none.
     */
    public Object owner(final int i) {
        return owners.get(ownerOf[requireIndex(i)]);
    }

    /**
     * Whether one of the buffers that were added must not be written.
     *
     * @return true if so.
     */
    public boolean isReadOnly() {
        return readOnly;
    }

    /**
     * Forgets all pages and their owners.
     *
     * @return this.
     */
    public PageList clear() {
        size = 0;
        owners.clear();
        readOnly = false;
        return this;
    }

    private int requireIndex(final int i) {
        if (i < 0 || i >= size) {
            throw new IndexOutOfBoundsException("page " + i + " of " + size);
        }
        return i;
    }

    @Override
    public String toString() {
        return size + " pages" + (size == 0 ? "" : String.format(" from 0x%x", addresses[0]));
    }
}
