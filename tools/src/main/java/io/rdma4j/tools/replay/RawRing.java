/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.replay;

import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingIndex;
import io.rdma4j.hw.pvrdma.RingState;

/** One ring in pages: where its state is, where its elements are. Indices are kept in shared memory only. */
final class RawRing {
    private final RawPages pages;
    private final int stateOffset;
    private final int firstPage;
    private final int count;
    private final int stride;

    RawRing(final RawPages pages, final int stateOffset, final int firstPage, final int count, final int stride) {
        this.pages = pages;
        this.stateOffset = stateOffset;
        this.firstPage = firstPage;
        this.count = count;
        this.stride = stride;
    }

    RawPages pages() {
        return pages;
    }

    int prodTail() {
        return pages.buffer().getIntVolatile(pages.at(stateOffset + RingState.PROD_TAIL_OFFSET));
    }

    int consHead() {
        return pages.buffer().getIntVolatile(pages.at(stateOffset + RingState.CONS_HEAD_OFFSET));
    }

    /** Where an element of the ring is in its buffer. */
    int element(final int index) {
        return pages.at(firstPage * Pdir.PAGE_SIZE + RingIndex.slot(index, count) * stride);
    }

    /** Makes the element at the tail the device's. */
    void produced() {
        pages.buffer().putIntOrdered(pages.at(stateOffset + RingState.PROD_TAIL_OFFSET),
            RingIndex.next(prodTail(), count));
    }

    /** Gives the element at the head back to the device. */
    void consumed() {
        pages.buffer().putIntOrdered(pages.at(stateOffset + RingState.CONS_HEAD_OFFSET),
            RingIndex.next(consHead(), count));
    }

    /** Begins with an empty ring again. */
    void reset() {
        pages.buffer().putIntOrdered(pages.at(stateOffset + RingState.CONS_HEAD_OFFSET), 0);
        pages.buffer().putIntOrdered(pages.at(stateOffset + RingState.PROD_TAIL_OFFSET), 0);
    }

    /** Whether the device has taken as little as it can have. */
    boolean isFull() {
        return RingIndex.isFull(prodTail(), consHead(), count);
    }

    /** Bytes from one element to the next. */
    int stride() {
        return stride;
    }

    boolean isEmpty() {
        return prodTail() == consHead();
    }
}
