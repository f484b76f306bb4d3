/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RingState;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A ring of work requests, as its poster uses it:
 *
 * <pre>
 *   claim     a slot, or a negative code
 *   ...       write the WQE in place, in buffer()
 *   commit    keep it; without this the next claim gives the same slot again
 *   publish   show all committed ones to the device; once per batch
 *   ringDoorbell
 * </pre>
 *
 * <p>Elements are numbered 0, 1, 2, ... for the life of the ring. The slot, and the index that the device sees, are the
 * low bits of that number:
 *
 * <pre>
 *     retired          published       posted
 *   ----+------------------+--------------+---------------&gt; sequence number
 *   done  device has them    committed      claimed next
 * </pre>
 *
 * <p>A slot is free when the device has consumed its element ({@code cons_head}) and the element has completed. One of
 * the two is not enough: some devices consume at once and would be given more than they can hold.
 */
public abstract sealed class WorkQueue extends RingCursors permits SequencedQueue, SharedReceiveQueue {
    /** Of a claim: every slot is taken; poll completions, then try again. */
    public static final int FULL = -1;
    /** Of a claim: the device wrote an index that cannot be; nothing more can be posted. */
    public static final int DEVICE_ERROR = -2;

    private final UnsafeBuffer ring;
    private final int prodTailOffset;
    private final int consHeadOffset;
    private final int elementsOffset;
    private final int strideShift;
    private final int slotMask;
    private final int count;
    private final int maxSge;
    private final Doorbell doorbell;
    private final int uarOffset;
    private final int word;
    private final QueueTotals totals;
    /** Addresses in them: one load less for each store. */
    private final long posterTotals;
    private final long retiredTotal;

    /**
     * Uses memory that the device was told of.
     *
     * @param place    the ring's memory
     * @param stride   bytes of an element
     * @param maxSge   scatter/gather entries of an element
     * @param doorbell rung by {@link #ringDoorbell()}
     * @param uarOffset and with this offset
     * @param word     and this word
     * @param totals   where to leave what is counted
     */
    WorkQueue(final RingPlace place, final int stride, final int maxSge, final Doorbell doorbell, final int uarOffset,
        final int word, final QueueTotals totals) {
        if (maxSge < 0) {
            throw new IllegalArgumentException("maxSge " + maxSge + ": must not be negative");
        }
        place.requireFits(stride);
        ring = place.buffer();
        prodTailOffset = place.stateOffset() + RingState.PROD_TAIL_OFFSET;
        consHeadOffset = place.stateOffset() + RingState.CONS_HEAD_OFFSET;
        elementsOffset = place.elementsOffset();
        strideShift = Integer.numberOfTrailingZeros(stride);
        count = place.count();
        slotMask = count - 1;
        this.maxSge = maxSge;
        this.doorbell = doorbell;
        this.uarOffset = uarOffset;
        this.word = word;
        this.totals = totals;
        posterTotals = totals.poster();
        retiredTotal = totals.retired();
        limit = count;
    }

    /**
     * {@return the memory in which claimed offsets lie}
     */
    public final UnsafeBuffer buffer() {
        return ring;
    }

    /**
     * {@return how many elements can be outstanding}
     */
    public final int count() {
        return count;
    }

    /**
     * {@return how many scatter/gather entries an element has room for}
     */
    public final int maxSge() {
        return maxSge;
    }

    /**
     * Poster: finds the slot for the next element.
     *
     * @return its byte offset or a negative code
     */
    final int claimElement() {
        final long seq = posted;
        if (seq >= limit) {
            final int code = lookForSpace(seq);
            if (code < 0) {
                return code;
            }
        }
        return elementsOffset + (((int) seq & slotMask) << strideShift);
    }

    private int lookForSpace(final long seq) {
        final long shown = published();
        // Acquire, meets the release in WqeConsumer.advance: the device has read a WQE before it is written again.
        final int consHead = Fences.fromDevice(ring, consHeadOffset);
        final int unread = RingIndex.used(index(shown), consHead, count);
        if (!RingIndex.isValid(consHead, count) || unread > count) {
            return DEVICE_ERROR;
        }
        limit = Math.min(retiredAcquire(), shown - unread) + count;
        return seq < limit ? 0 : full();
    }

    private int full() {
        QueueTotals.full(posterTotals, ++full);
        return FULL;
    }

    /**
     * {@return for the poster: the slot of the element that is claimed, or that is claimed next; for what belongs to
     * the slot beside the ring}
     */
    public final int slot() {
        return (int) posted & slotMask;
    }

    /**
     * {@return the byte offset in {@link #buffer()} at which a slot begins}
     *
     * @param slot from 0, below {@link #count()}
     */
    public final int slotOffset(final int slot) {
        return elementsOffset + ((slot & slotMask) << strideShift);
    }

    /**
     * {@return for the poster: the number of the element that is claimed, or that is claimed next}
     */
    public final long sequence() {
        return posted;
    }

    /**
     * {@return whether an element has completed, as far as the poller knows; from any thread}
     *
     * @param sequence its number
     */
    public final boolean isDone(final long sequence) {
        return sequence < retiredAcquire();
    }

    /** Bytes from one slot to the next. */
    final int stride() {
        return 1 << strideShift;
    }

    /**
     * Poster: keeps the element that was claimed last.
     */
    public final void commit() {
        posted++;
    }

    /**
     * Poster: shows everything committed to the device.
     */
    public final void publish() {
        final long seq = posted;
        // The poller must know an element before the device can complete it, hence before the index below.
        publishedRelease(seq);
        // Release, meets the acquire in WqeConsumer.peek: who sees the index sees the WQEs below it.
        Fences.toDevice(ring, prodTailOffset, index(seq));
    }

    /**
     * Poster: tells the device to look at the published index.
     */
    public final void ringDoorbell() {
        QueueTotals.posted(posterTotals, posted, ++doorbells);
        doorbell.ring(uarOffset, word);
    }

    /**
     * Poster: lets others see what was published where no doorbell is rung.
     */
    public final void showPublished() {
        QueueTotals.posted(posterTotals, published());
    }

    /** Poller: elements below are completed. */
    final void retireBelow(final long seq) {
        QueueTotals.retired(retiredTotal, seq);
        retiredRelease(seq);
    }

    /** Of several pollers, those who retire at the same time: the last one to look leaves what is true. */
    final void showRetired() {
        long seq;
        do {
            seq = retiredAcquire();
            QueueTotals.retiredVolatile(retiredTotal, seq);
        } while (seq != retiredAcquire());
    }

    /**
     * {@return how many published elements have not completed; from any thread, and old when read}
     */
    public final int outstanding() {
        final long done = retiredAcquire();
        return (int) Math.min(count, publishedAcquire() - done);
    }

    /**
     * Starts again at index 0 with nothing outstanding, as the device does when its queue pair goes to RESET. Neither
     * poster nor poller may be at work. Sequence numbers go on, so that late completions of the time before are
     * recognised.
     */
    public final void reset() {
        final long lap = 2L * count;
        final long start = (posted + lap - 1) & -lap;
        posted = start;
        limit = start + count;
        publishedSeen = start;
        ahead = 0;
        publishedRelease(start);
        QueueTotals.posted(posterTotals, start);
        retireBelow(start);
        ring.putIntRelease(consHeadOffset, 0);
        Fences.toDevice(ring, prodTailOffset, 0);
    }

    private int index(final long seq) {
        return (int) seq & (2 * count - 1);
    }

    /**
     * {@return the state of both ends, for a person}
     */
    @Override
    public final String toString() {
        return getClass().getSimpleName() + "[count=" + count + ", maxSge=" + maxSge
            + ", doorbell=0x" + Integer.toHexString(word) + ", posted=" + posted + ", published=" + publishedAcquire()
            + ", retired=" + retiredAcquire() + ", prod_tail=" + ring.getInt(prodTailOffset)
            + ", cons_head=" + ring.getInt(consHeadOffset) + ", totals " + totals + "]";
    }
}
