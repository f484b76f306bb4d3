/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * A work request for a receive queue: mutable, made once and used again. Posting copies it. Not thread-safe.
 */
public final class ReceiveRequest {
    private final SgeList sges;
    private long wrId;

    /**
     * Creates a request.
     *
     * @param maxSge elements that it can hold, 0 to {@value SgeList#MAX_CAPACITY}.
     * @throws IllegalArgumentException if it is out of range.
     */
    public ReceiveRequest(final int maxSge) {
        sges = new SgeList(maxSge);
    }

    /** Creates a request that can hold one element. */
    public ReceiveRequest() {
        this(1);
    }

    /**
     * Sets what comes back in the completion.
     *
     * @param value any value.
     * @return this.
     */
    public ReceiveRequest wrId(final long value) {
        wrId = value;
        return this;
    }

    /**
     * Makes the one given element the only one.
     *
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param lkey    key of the region that holds them; it must allow local write.
     * @return this.
     * @throws IllegalStateException    if the request was made for none.
     * @throws IllegalArgumentException if length is negative.
     */
    public ReceiveRequest sge(final long address, final int length, final int lkey) {
        sges.clear();
        sges.add(address, length, lkey);
        return this;
    }

    /**
     * Adds an element.
     *
     * @param address first byte.
     * @param length  bytes, 0 or more.
     * @param lkey    key of the region that holds them; it must allow local write.
     * @return this.
     * @throws IllegalStateException    if the request is full.
     * @throws IllegalArgumentException if length is negative.
     */
    public ReceiveRequest addSge(final long address, final int length, final int lkey) {
        sges.add(address, length, lkey);
        return this;
    }

    /**
     * Removes all elements.
     *
     * @return this.
     */
    public ReceiveRequest clearSges() {
        sges.clear();
        return this;
    }

    /**
     * The elements.
     *
     * @return the list itself.
     */
    public SgeList sges() {
        return sges;
    }

    /**
     * What comes back in the completion.
     *
     * @return any value.
     */
    public long wrId() {
        return wrId;
    }
}
