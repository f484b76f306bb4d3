/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.pvrdma.RingIndex;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A completion queue, or one of the event rings, as the device writes into it: {@link #claim()}, write the element,
 * {@link #publish()}; or {@link #hold()} after each of several, and {@link #show()}. One thread at a time.
 */
public final class CqeProducer extends DeviceRing {
    private int tail;
    private int headSeen;
    private boolean corrupt;

    /**
     * Produces into memory of the driver, beginning at index 0.
     *
     * @param statePage     page with the ring's indices
     * @param stateOffset   of the two indices in it
     * @param pages         those of the elements, 4096 bytes each
     * @param count         elements: a power of two, or what {@link RingIndex} says of other event rings
     * @param elementLength bytes of each, a power of two
     * @throws IllegalArgumentException if that does not fit the pages
     */
    public CqeProducer(final UnsafeBuffer statePage, final int stateOffset, final UnsafeBuffer[] pages, final int count,
        final int elementLength) {
        super(statePage, stateOffset, pages, count, elementLength);
    }

    /**
     * Looks for a free slot at {@link #page()} and {@link #offset()}.
     *
     * @return false if there is none: the ring is full or {@linkplain #isCorrupt() corrupt}
     */
    public boolean claim() {
        return !RingIndex.isFull(tail, headSeen, count()) || lookForSpace();
    }

    /** Only rings of a power of two come here: the others are never found full. */
    private boolean lookForSpace() {
        // Acquire, meets the release in CompletionQueue.consume: the CQE has been read before it is written again.
        final int consHead = loadConsHead();
        corrupt = !RingIndex.isValid(consHead, count()) || RingIndex.used(tail, consHead, count()) > count();
        if (!corrupt) {
            headSeen = consHead;
        }
        return !corrupt && !RingIndex.isFull(tail, consHead, count());
    }

    /**
     * {@return whether the last {@link #claim()} failed because the driver wrote an index that cannot be}
     */
    public boolean isCorrupt() {
        return corrupt;
    }

    /**
     * {@return the page that holds the claimed element}
     */
    public UnsafeBuffer page() {
        return pageOf(tail);
    }

    /**
     * {@return where in its page the claimed element begins}
     */
    public int offset() {
        return offsetOf(tail);
    }

    /**
     * {@return where the claimed element begins in this process; only of a ring in native memory}
     */
    public long address() {
        return addressOf(tail);
    }

    /**
     * Keeps the claimed element, to be shown to the driver by {@link #show()}. While the driver looks at the index,
     * each store to it has to wait until the driver's processor gives its line away.
     */
    public void hold() {
        tail = RingIndex.next(tail, count());
    }

    /**
     * Shows the claimed element to the driver, and those that are held.
     */
    public void publish() {
        hold();
        show();
    }

    /**
     * Shows the elements that are held to the driver.
     */
    public void show() {
        // Release, meets the acquire in CompletionQueue.available: who sees the index sees the CQE below it.
        storeProdTail(tail);
    }

    /**
     * Copies what the driver has not consumed into another ring, the oldest first and to its beginning, and shows it
     * there. This ring stays as it is.
     *
     * @param next a ring with elements of the same length, into which nothing was produced so far
     * @return how many there were, or -1 if they do not fit or the driver wrote an index that cannot be
     */
    public int copyTo(final CqeProducer next) {
        final int consHead = loadConsHead();
        final int pending = RingIndex.used(tail, consHead, count());
        if (!RingIndex.isValid(consHead, count()) || pending > count() || pending > next.count()) {
            return -1;
        }
        int from = consHead;
        for (int i = 0; i < pending; i++) {
            next.pageOf(i).putBytes(next.offsetOf(i), pageOf(from), offsetOf(from), stride());
            from = RingIndex.next(from, count());
        }
        next.tail = pending;
        // Release, as in show.
        next.storeProdTail(pending);
        return pending;
    }

    /**
     * {@return the state of both ends, for a person}
     */
    @Override
    public String toString() {
        return describe("tail", tail);
    }
}
