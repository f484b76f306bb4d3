/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import static io.rdma4j.driver.pci.DmaDomain.PAGE_SIZE;
import static io.rdma4j.hw.pvrdma.RingState.CONS_HEAD_OFFSET;
import static io.rdma4j.hw.pvrdma.RingState.PROD_TAIL_OFFSET;
import static io.rdma4j.hw.pvrdma.RingState.RX_OFFSET;

import io.rdma4j.driver.dma.DmaArena;
import io.rdma4j.driver.dma.DmaPages;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.LivePublisher;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.verbs.pvrdma.live.EventRingKind;

import java.nio.ByteOrder;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The consumer of a ring that the device fills by itself: asynchronous events, or completion notices. The consumer
 * index is kept here and only published, so that nothing the device writes can move it. Thread-safe.
 */
final class EventRing implements AutoCloseable {
    /** Of {@link #take}: elements may have been lost. */
    static final int OVERRUN = 2;
    /** In slots that were read, see {@link #watchForOverrun}. The device writes no such word. */
    private static final int BLANK = -1;
    /** A slot that is this far behind the head was blanked already, and is the last but one to be overwritten. */
    private static final int PROBE = 2;

    private final String name;
    private final DmaPages pages;
    private final PageDirectory directory;
    private final UnsafeBuffer buffer;
    private final int elementLength;
    private final int n;
    /** Different slots that the indices of both ends come to; less than n if that is no power of two. */
    private final int slots;
    private boolean watched;
    /** Of a ring that is watched: from how many elements on it may be that some were lost. */
    private int tooMany;
    private int head;

    private EventRing(
        final String name, final DmaPages pages, final PageDirectory directory, final int elementLength) {
        this.name = name;
        this.pages = pages;
        this.directory = directory;
        this.elementLength = elementLength;
        this.buffer = pages.buffer();
        this.n = RingGeometry.eventRingElements(pages.pages(), elementLength);
        this.slots = Integer.lowestOneBit(n);
    }

    static EventRing allocate(final DmaArena arena, final String name, final int pages, final int elementLength) {
        final DmaPages memory = arena.allocate(pages);
        PageDirectory directory = null;
        try {
            directory = PageDirectory.of(arena, memory);
        } finally {
            if (directory == null) {
                memory.close();
            }
        }
        return new EventRing(name, memory, directory, elementLength);
    }

    /** Shows others where the ring is, until that is closed. */
    LiveEntry publish(final LivePublisher live, final int handle) {
        final LiveEntry entry = live.add(EventRingKind.KIND, handle)
            .set(EventRingKind.IOVA, pages.iova())
            .set(EventRingKind.NUM_PAGES, numPages())
            .set(EventRingKind.ELEMENT_LENGTH, elementLength)
            .set(EventRingKind.PDIR_DMA, pdirDma());
        entry.publish();
        return entry;
    }

    int numPages() {
        return pages.pages();
    }

    long pdirDma() {
        return directory.pdirDma();
    }

    int elements() {
        return n;
    }

    /**
     * From now on {@link #take} finds out when the device was too far ahead, however often it came around: a slot that
     * was read is blanked, so what is behind the head is blank until the device overwrites what was not read. Only for
     * elements whose first word is never all ones.
     *
     * <p>Half full is near enough: the device goes on while we look, and one that finds the ring full loses elements.
     */
    synchronized void watchForOverrun() {
        watch(slots / 2);
    }

    /** The same, for elements each of which counts: a ring is overrun when it is full. What is in it is salvaged. */
    synchronized void watchForLoss() {
        watch(slots - PROBE + 1);
    }

    private void watch(final int limit) {
        watched = true;
        tooMany = limit;
        blankAll();
    }

    private void blankAll() {
        for (int slot = 0; slot < slots; slot++) {
            blank(slot);
        }
    }

    private void blank(final int slot) {
        buffer.putInt(PAGE_SIZE + slot * elementLength, BLANK, ByteOrder.LITTLE_ENDIAN);
    }

    private boolean isBlank(final int slot) {
        return buffer.getInt(PAGE_SIZE + slot * elementLength, ByteOrder.LITTLE_ENDIAN) == BLANK;
    }

    /**
     * Takes one element.
     *
     * @param words gets its 32-bit words.
     * @return {@link RingIndex#HAS_DATA}, {@link RingIndex#NO_DATA}, {@link RingIndex#CORRUPT}, or, of a ring that is
     *         watched, {@link #OVERRUN}: what is left to take is not all that there was, {@link #discard} it or
     *         {@link #salvage} it.
     */
    synchronized int take(final int[] words) {
        final int tail = prodTail();
        final int state = RingIndex.hasData(tail, head, n);
        if (state == RingIndex.CORRUPT) {
            return state;
        }
        final int slot = RingIndex.slot(head, n);
        if (watched && (mayBeOverrun(tail) || state == RingIndex.HAS_DATA && isBlank(slot))) {
            return OVERRUN;
        }
        if (state == RingIndex.HAS_DATA) {
            read(slot, words);
            if (watched) {
                blank(slot);
            }
            publish(RingIndex.next(head, n));
        }
        return state;
    }

    /**
     * A device that came all the way around seems to be only a little ahead, but has overwritten what is behind the
     * head. One that does so in the middle of {@link #take}, before the blanking, has lost a blank or written the one
     * further behind.
     */
    private boolean mayBeOverrun(final int tail) {
        return (tail - head & 2 * slots - 1) >= tooMany || !isBlank(head - PROBE & slots - 1);
    }

    private void read(final int slot, final int[] words) {
        for (int i = 0; i < words.length; i++) {
            words[i] = buffer.getInt(PAGE_SIZE + slot * elementLength + i * Integer.BYTES, ByteOrder.LITTLE_ENDIAN);
        }
    }

    /**
     * Takes what an overrun left: the youngest elements, the oldest of them first.
     *
     * @param into gets an element after the other, of {@code length} words each.
     * @return how many.
     */
    synchronized int salvage(final int[] into, final int length) {
        final int tail = prodTail();
        final int[] words = new int[length];
        int count = 0;
        for (int i = 0; i < slots; i++) {
            final int slot = tail + i & slots - 1;
            if (!isBlank(slot)) {
                read(slot, words);
                blank(slot);
                System.arraycopy(words, 0, into, length * count++, length);
            }
        }
        if (RingIndex.isValid(tail, n)) {
            publish(tail);
        }
        return count;
    }

    int slots() {
        return slots;
    }

    /** Skips what is in the ring; the result is {@link RingIndex#CORRUPT} or not. */
    synchronized int discard() {
        final int tail = prodTail();
        final int state = RingIndex.hasData(tail, head, n);
        if (state != RingIndex.CORRUPT) {
            if (watched) {
                blankAll();
            }
            publish(tail);
        }
        return state;
    }

    synchronized boolean isEmpty() {
        final int tail = prodTail();
        return tail == head && !(watched && mayBeOverrun(tail));
    }

    /** Meets the device's release of prod_tail, which follows its writing of the element. */
    private int prodTail() {
        return buffer.getIntAcquire(RX_OFFSET + PROD_TAIL_OFFSET);
    }

    /** The device may overwrite the slot once it sees this: released after the element was read. */
    private void publish(final int newHead) {
        head = newHead;
        buffer.putIntRelease(RX_OFFSET + CONS_HEAD_OFFSET, newHead);
    }

    @Override
    public synchronized String toString() {
        return String.format("%s[prod_tail=0x%x cons_head=0x%x n=%d]", name, prodTail(), head, n);
    }

    @Override
    public void close() {
        directory.close();
        pages.close();
    }
}
