/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.layout.Words;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
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
 * <p>Several are claimed with 0, 1, 2, ... as {@code ahead}, each written before the next, and kept by one commit. The
 * count is then in a register: one in memory would have each claim wait for the commit before it, up to a third of the
 * time of a short batch.
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

    /** Keeps the memory whose addresses follow. */
    private final UnsafeBuffer ring;
    private final long elements;
    private final long prodTail;
    private final long consHead;
    private final int elementsOffset;
    /** To be multiplied with: a shift by a variable takes a register of its own, which the JVM has to make free. */
    private final long stride;
    private final long slotMask;
    private final int indexMask;
    private final int count;
    private final int maxSge;
    private final Doorbell doorbell;
    /** Where to ring, or 0 if the doorbell has to be called. */
    private final long bell;
    private final int uarOffset;
    private final int word;
    private final QueueTotals totals;
    /** Addresses in them: one load less for each store. */
    private final long posterTotals;
    private final long retiredTotal;
    /** Numbers that no element had, as resets left them out. */
    private long skipped;

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
        prodTail = place.state(RingState.PROD_TAIL_OFFSET);
        consHead = place.state(RingState.CONS_HEAD_OFFSET);
        elementsOffset = place.elementsOffset();
        elements = ring.addressOffset() + elementsOffset;
        this.stride = stride;
        count = place.count();
        slotMask = count - 1L;
        indexMask = 2 * count - 1;
        this.maxSge = maxSge;
        this.doorbell = doorbell;
        bell = MappedDoorbell.addressOf(doorbell, uarOffset);
        this.uarOffset = uarOffset;
        this.word = word;
        this.totals = totals;
        posterTotals = totals.poster();
        retiredTotal = totals.retired();
        limit = count;
        dirtyBelow = count;
        wideBelow = count;
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
     * Poster: looks whether there is a slot for an element.
     *
     * @return 0 or a negative code
     */
    final int findSpace(final long seq) {
        return seq < limit ? 0 : lookForSpace(seq);
    }

    /** Where an element is in the buffer. The mask tells the JVM, and spares a poster to ask, that it is no code. */
    final int offsetOf(final long seq) {
        return elementsOffset + (int) ((seq & slotMask) * stride) & Integer.MAX_VALUE;
    }

    /** The address of an element: inside of the ring for any number, as the constructor saw all slots inside. */
    final long addressOf(final long seq) {
        return elements + (seq & slotMask) * stride;
    }

    private int lookForSpace(final long seq) {
        final long shown = published();
        // Acquire, meets the release in WqeConsumer.advance: the device has read a WQE before it is written again.
        final int read = Fences.fromDevice(consHead);
        final int unread = RingIndex.used(index(shown), read, count);
        if (!RingIndex.isValid(read, count) || unread > count) {
            return DEVICE_ERROR;
        }
        limit = Math.min(retiredAcquire(), shown - unread) + count;
        if (seq < limit) {
            return 0;
        }
        QueueTotals.full(posterTotals, ++full);
        return FULL;
    }

    /**
     * {@return for the poster: the slot of an element that is claimed, or that is claimed next; for what belongs to the
     * slot beside the ring}
     *
     * @param ahead elements that are claimed before it and not committed
     */
    public final int slot(final int ahead) {
        return slotOf(posted + ahead);
    }

    /**
     * {@return the byte offset in {@link #buffer()} at which a slot begins}
     *
     * @param slot from 0, below {@link #count()}
     */
    public final int slotOffset(final int slot) {
        return offsetOf(slot);
    }

    /**
     * {@return for the poster: the number of the first element that is not committed}
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

    final long slotMask() {
        return slotMask;
    }

    final int slotOf(final long seq) {
        return (int) (seq & slotMask);
    }

    /** Bytes from one slot to the next. */
    final int stride() {
        return (int) stride;
    }

    /** Poster: the header of a WQE of either kind of receive queue. */
    static void writeReceive(final long wqe, final long wrId, final int numSge) {
        Words.put(wqe + RqWqe.WR_ID_OFFSET, wrId);
        Words.put(wqe + RqWqe.NUM_SGE_OFFSET, Words.pair(numSge, 0));
    }

    static void writeSge(final long sge, final long addr, final int length, final int lkey) {
        Words.put(sge + Sge.ADDR_OFFSET, addr);
        Words.put(sge + Sge.LENGTH_OFFSET, Words.pair(length, lkey));
    }

    /**
     * Poster: keeps the element that was claimed last.
     */
    public final void commit() {
        commit(1);
    }

    /**
     * Poster: keeps the elements that were claimed since the last commit.
     *
     * @param elements how many
     */
    public final void commit(final int elements) {
        posted += elements;
    }

    /**
     * Poster: shows everything committed to the device.
     */
    public final void publish() {
        final long seq = posted;
        // The poller must know an element before the device can complete it, hence before the index below.
        publishedRelease(seq);
        // Release, meets the acquire in WqeConsumer.peek: who sees the index sees the WQEs below it.
        Fences.toDevice(prodTail, index(seq));
    }

    /**
     * Poster: tells the device to look at the published index.
     */
    public final void ringDoorbell() {
        QueueTotals.posted(posterTotals, posted, ++doorbells);
        if (bell != 0) {
            Fences.toDevice(bell, word);
        } else {
            doorbell.ring(uarOffset, word);
        }
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
        skipped += start - published();
        posted = start;
        limit = start + count;
        dirtyBelow = start + count;
        wideBelow = start + count;
        publishedSeen = start;
        ahead = 0;
        publishedRelease(start);
        QueueTotals.skipped(retiredTotal, skipped);
        QueueTotals.posted(posterTotals, start);
        retireBelow(start);
        Fences.toDevice(consHead, 0);
        Fences.toDevice(prodTail, 0);
    }

    private int index(final long seq) {
        return (int) seq & indexMask;
    }

    /**
     * {@return the state of both ends, for a person}
     */
    @Override
    public final String toString() {
        return getClass().getSimpleName() + "[count=" + count + ", maxSge=" + maxSge
            + ", doorbell=0x" + Integer.toHexString(word) + ", posted=" + posted + ", published=" + publishedAcquire()
            + ", retired=" + retiredAcquire() + ", prod_tail=" + Fences.fromDevice(prodTail)
            + ", cons_head=" + Fences.fromDevice(consHead) + ", totals " + totals + "]";
    }
}
