/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.pvrdma.RingIndex;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A send, receive or shared receive queue, as the device takes work requests from it. One thread at a time.
 */
public final class WqeConsumer extends DeviceRing {
    /** Of {@link #peek()}: nothing to do. */
    public static final int NO_DATA = RingIndex.NO_DATA;
    /** Of {@link #peek()}: there is a WQE. */
    public static final int HAS_DATA = RingIndex.HAS_DATA;
    /** Of {@link #peek()} and {@link #available()}: the driver wrote an index that cannot be. */
    public static final int CORRUPT = RingIndex.CORRUPT;

    private int head;
    private int ready;

    /**
     * Consumes from memory of the driver, beginning at index 0.
     *
     * @param statePage   page with the ring's indices
     * @param stateOffset of the two indices in it: the tx half for a send queue, the rx half otherwise
     * @param pages       those of the WQEs, 4096 bytes each
     * @param count       WQEs, a power of two
     * @param stride      bytes of each, a power of two
     * @throws IllegalArgumentException if that does not fit the pages
     */
    public WqeConsumer(final UnsafeBuffer statePage, final int stateOffset, final UnsafeBuffer[] pages, final int count,
        final int stride) {
        super(statePage, stateOffset, pages, count, stride);
        if (Integer.bitCount(count) != 1) {
            throw new IllegalArgumentException("count " + count + ": must be a power of two");
        }
    }

    /**
     * Looks for a WQE.
     *
     * @return {@link #HAS_DATA}, {@link #NO_DATA} or {@link #CORRUPT}
     */
    public int peek() {
        return ready > 0 ? HAS_DATA : Math.min(available(), HAS_DATA);
    }

    /**
     * {@return whether there is another WQE behind the current one, as far as is known without looking again}
     */
    public boolean hasMore() {
        return ready > 1;
    }

    /**
     * {@return how many WQEs can be read, as far as is known without looking again}
     */
    public int known() {
        return ready;
    }

    /**
     * Looks at the driver's index.
     *
     * @return how many WQEs can be read, or {@link #CORRUPT}
     */
    public int available() {
        // Acquire, meets the release in WorkQueue.publish: who sees the index sees the WQEs below it.
        final int prodTail = loadProdTail();
        final int used = RingIndex.used(prodTail, head, count());
        if (used > count() || !RingIndex.isValid(prodTail, count())) {
            ready = 0;
            return CORRUPT;
        }
        ready = used;
        return used;
    }

    /**
     * {@return the page that holds the current WQE}
     */
    public UnsafeBuffer page() {
        return pageOf(head);
    }

    /**
     * {@return where in its page the current WQE begins}
     */
    public int offset() {
        return offsetOf(head);
    }

    /**
     * {@return where the current WQE begins in this process; only of a ring in native memory}
     */
    public long address() {
        return addressOf(head);
    }

    /**
     * {@return the page that holds a later WQE}
     *
     * @param ahead 0 for the current one, below what {@link #available()} returned
     */
    public UnsafeBuffer page(final int ahead) {
        return pageOf(head + ahead);
    }

    /**
     * {@return where in its page a later WQE begins}
     *
     * @param ahead 0 for the current one, below what {@link #available()} returned
     */
    public int offset(final int ahead) {
        return offsetOf(head + ahead);
    }

    /**
     * Gives the current WQE back to the driver, which may write over it at once.
     */
    public void advance() {
        advance(1);
    }

    /**
     * Gives WQEs back to the driver, which may write over them at once.
     *
     * @param n how many, at most what {@link #available()} returned
     */
    public void advance(final int n) {
        assert n >= 0 && n <= ready : n + " of " + ready;
        head = RingIndex.advance(head, n, count());
        ready -= n;
        // Release, meets the acquire in WorkQueue.claimElement: the WQEs have been read before they are written again.
        storeConsHead(head);
    }

    /**
     * Starts again at index 0, as the queue pair went to RESET. The driver zeroes the indices in memory.
     */
    public void reset() {
        head = 0;
        ready = 0;
    }

    /**
     * {@return the state of both ends, for a person}
     */
    @Override
    public String toString() {
        return describe("head", head);
    }
}
