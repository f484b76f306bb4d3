/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** The scatter/gather elements of a request: a fixed number of places, used again. Not thread-safe. */
public final class SgeList {
    private final long[] addresses;
    private final int[] lengths;
    private final int[] lkeys;
    private int size;

    /**
     * Creates an empty list.
     *
     * @param capacity places, 0 or more.
     */
    public SgeList(final int capacity) {
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
     * First byte of an element.
     *
     * @param index from 0, below {@link #size()}.
     * @return a virtual address.
     */
    public long address(final int index) {
        return addresses[index];
    }

    /**
     * Size of an element.
     *
     * @param index from 0, below {@link #size()}.
     * @return bytes.
     */
    public int length(final int index) {
        return lengths[index];
    }

    /**
     * Key of an element.
     *
     * @param index from 0, below {@link #size()}.
     * @return 32 bits.
     */
    public int lkey(final int index) {
        return lkeys[index];
    }
}
