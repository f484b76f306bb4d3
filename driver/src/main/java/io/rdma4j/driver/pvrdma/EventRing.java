/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.pvrdma;

import static io.rdma4j.driver.pci.DmaDomain.PAGE_SIZE;
import static io.rdma4j.hw.pvrdma.RingState.CONS_HEAD_OFFSET;
import static io.rdma4j.hw.pvrdma.RingState.PROD_TAIL_OFFSET;
import static io.rdma4j.hw.pvrdma.RingState.RX_OFFSET;

import io.rdma4j.driver.dma.DmaArena;
import io.rdma4j.driver.dma.DmaPages;
import io.rdma4j.driver.dma.PageDirectory;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingIndex;

import java.nio.ByteOrder;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The consumer of a ring that the device fills by itself: asynchronous events, or completion notices. The consumer
 * index is kept here and only published, so that nothing the device writes can move it. Thread-safe.
 */
final class EventRing implements AutoCloseable {
    private final String name;
    private final DmaPages pages;
    private final PageDirectory directory;
    private final UnsafeBuffer buffer;
    private final int elementLength;
    private final int n;
    private int head;

    private EventRing(
        final String name, final DmaPages pages, final PageDirectory directory, final int elementLength) {
        this.name = name;
        this.pages = pages;
        this.directory = directory;
        this.elementLength = elementLength;
        this.buffer = pages.buffer();
        this.n = RingGeometry.eventRingElements(pages.pages(), elementLength);
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
     * Takes one element.
     *
     * @param words gets its 32-bit words.
     * @return {@link RingIndex#HAS_DATA}, {@link RingIndex#NO_DATA} or {@link RingIndex#CORRUPT}.
     */
    synchronized int take(final int[] words) {
        final int state = RingIndex.hasData(prodTail(), head, n);
        if (state == RingIndex.HAS_DATA) {
            final int element = PAGE_SIZE + RingIndex.slot(head, n) * elementLength;
            for (int i = 0; i < words.length; i++) {
                words[i] = buffer.getInt(element + i * Integer.BYTES, ByteOrder.LITTLE_ENDIAN);
            }
            publish(RingIndex.next(head, n));
        }
        return state;
    }

    /** Skips what is in the ring; the result is as of {@link #take}. */
    synchronized int discard() {
        final int tail = prodTail();
        final int state = RingIndex.hasData(tail, head, n);
        if (state == RingIndex.HAS_DATA) {
            publish(tail);
        }
        return state;
    }

    synchronized boolean isEmpty() {
        return prodTail() == head;
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
