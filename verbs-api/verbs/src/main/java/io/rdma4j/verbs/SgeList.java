/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** The scatter/gather elements of a request: a fixed number of places, used again. Not thread-safe. */
public final class SgeList {
    /** Most places of a list. */
    public static final int MAX_CAPACITY = 1 << 16;

    private final long[] addresses;
    private final int[] lengths;
    private final int[] lkeys;
    private int size;

    /**
     * Creates an empty list.
     *
     * @param capacity places, 0 to {@value #MAX_CAPACITY}; no device takes as many.
     * @throws IllegalArgumentException if it is out of range.
     */
    public SgeList(final int capacity) {
        if (capacity < 0 || capacity > MAX_CAPACITY) {
            throw new IllegalArgumentException("a list of " + capacity + " scatter/gather elements");
        }
        addresses = new long[capacity];
        lengths = new int[capacity];
        lkeys = new int[capacity];
    }

    /**
     * Adds an element.
     *
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param lkey    key of the region that holds them.
     * @throws IllegalStateException    if the list is full.
     * @throws IllegalArgumentException if length is negative.
     */
    public void add(final long address, final int length, final int lkey) {
        if (size == addresses.length) {
            throw new IllegalStateException("this request was made for " + size + " scatter/gather elements");
        }
        if (length < 0) {
            throw new IllegalArgumentException("length of a scatter/gather element is negative: " + length);
        }
        addresses[size] = address;
        lengths[size] = length;
        lkeys[size] = lkey;
        size++;
    }

    /**
     * Changes an element.
     *
     * @param index   from 0, below {@link #size()}.
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param lkey    key of the region that holds them.
     * @throws IllegalArgumentException if there is no such element or length is negative.
     */
    public void set(final int index, final long address, final int length, final int lkey) {
        if (index < 0 || index >= size || length < 0) {
            throw new IllegalArgumentException("element " + index + " of " + size + ", length " + length);
        }
        addresses[index] = address;
        lengths[index] = length;
        lkeys[index] = lkey;
    }

    /** Takes over all elements of another list. */
    void set(final SgeList other) {
        if (other.size > addresses.length) {
            throw new IllegalStateException(
                "this request was made for " + addresses.length + " scatter/gather elements, not " + other.size);
        }
        size = other.size;
        System.arraycopy(other.addresses, 0, addresses, 0, size);
        System.arraycopy(other.lengths, 0, lengths, 0, size);
        System.arraycopy(other.lkeys, 0, lkeys, 0, size);
    }

    /** Removes all elements. */
    public void clear() {
        size = 0;
    }

    /**
     * Elements in the list.
     *
     * @return a count.
     */
    public int size() {
        return size;
    }

    /**
     * Size of some elements together.
     *
     * @param count how many, from the first on; of more than the list has room for, those.
     * @return bytes; the largest int if that is too small.
     */
    public int totalLength(final int count) {
        // One is frequent, and needs no loop.
        return count == 1 && lengths.length > 0 ? lengths[0] : sum(count);
    }

    private int sum(final int count) {
        long sum = 0;
        for (int i = 0; i < Math.min(count, lengths.length); i++) {
            sum += lengths[i];
        }
        return (int) Math.min(sum, Integer.MAX_VALUE);
    }

    /**
     * First byte of an element.
     *
     * @param index from 0, below {@link #size()}.
     * @return a virtual address.
     * @throws IndexOutOfBoundsException if the list has no such place.
     */
    public long address(final int index) {
        return addresses[checked(index)];
    }

    /**
     * Size of an element.
     *
     * @param index from 0, below {@link #size()}.
     * @return bytes.
     * @throws IndexOutOfBoundsException if the list has no such place.
     */
    public int length(final int index) {
        return lengths[checked(index)];
    }

    /**
     * Key of an element.
     *
     * @param index from 0, below {@link #size()}.
     * @return 32 bits.
     * @throws IndexOutOfBoundsException if the list has no such place.
     */
    public int lkey(final int index) {
        return lkeys[checked(index)];
    }

    /** Not the size: a request that somebody changes while it is posted has to be read without an exception. */
    private int checked(final int index) {
        if (index < 0 || index >= addresses.length) {
            throw new IndexOutOfBoundsException(
                "scatter/gather element " + index + " of a list with " + addresses.length + " places");
        }
        return index;
    }
}
