/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SqWqe;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** Memory of a ring as a driver would allocate it, with both ends and the doorbells that were rung. */
final class RingMemory {
    static final int HANDLE = 0x123456;

    final UnsafeBuffer driver;
    /** Doorbells, each with the indices that a device finds then. */
    final List<String> log = new ArrayList<>();
    final Doorbell doorbell = this::ring;

    private RingMemory(final int elementPages) {
        driver = new UnsafeBuffer(allocate(1 + elementPages));
    }

    static RingMemory plain(final int count, final int stride) {
        return new RingMemory(RingGeometry.pagesFor(count, stride));
    }

    private void ring(final int offset, final int word) {
        log.add("doorbell +" + offset + " 0x" + Integer.toHexString(word) + " tx "
            + driver.getInt(RingState.TX_PROD_TAIL_OFFSET) + " rx " + driver.getInt(RingState.RX_PROD_TAIL_OFFSET));
    }

    static ByteBuffer allocate(final int pages) {
        return ByteBuffer.allocateDirect((pages + 1) * Pdir.PAGE_SIZE).alignedSlice(Pdir.PAGE_SIZE)
            .slice(0, pages * Pdir.PAGE_SIZE);
    }

    SendQueue sendQueue(final int count, final int maxSge) {
        return new SendQueue(driver, RingState.TX_OFFSET, Pdir.PAGE_SIZE, count, maxSge, doorbell, HANDLE);
    }

    ReceiveQueue receiveQueue(final int count, final int maxSge) {
        return new ReceiveQueue(driver, RingState.RX_OFFSET, Pdir.PAGE_SIZE, count, maxSge, doorbell, HANDLE);
    }

    SharedReceiveQueue sharedReceiveQueue(final int count, final int maxSge) {
        return new SharedReceiveQueue(driver, RingState.RX_OFFSET, Pdir.PAGE_SIZE, count, maxSge, doorbell, HANDLE);
    }

    CompletionQueue completionQueue(final int count) {
        return new CompletionQueue(driver, RingState.RX_OFFSET, Pdir.PAGE_SIZE, count, doorbell, HANDLE);
    }

    WqeConsumer sendConsumer(final int count, final int maxSge) {
        return new WqeConsumer(statePage(), RingState.TX_OFFSET, elementPages(), count, SqWqe.stride(maxSge));
    }

    WqeConsumer receiveConsumer(final int count, final int maxSge) {
        return new WqeConsumer(statePage(), RingState.RX_OFFSET, elementPages(), count, RqWqe.stride(maxSge));
    }

    CqeProducer producer(final int count, final int elementLength) {
        return new CqeProducer(statePage(), RingState.RX_OFFSET, elementPages(), count, elementLength);
    }

    CqeProducer cqeProducer(final int count) {
        return producer(count, Cqe.LENGTH);
    }

    UnsafeBuffer statePage() {
        return view(0);
    }

    /** In an order of their own: the device does not see them in one piece. */
    UnsafeBuffer[] elementPages() {
        final UnsafeBuffer[] pages = new UnsafeBuffer[driver.capacity() / Pdir.PAGE_SIZE - 1];
        for (int i = 0; i < pages.length; i++) {
            pages[i] = view(1 + i);
        }
        return pages;
    }

    private UnsafeBuffer view(final int page) {
        return new UnsafeBuffer(driver.byteBuffer().slice(page * Pdir.PAGE_SIZE, Pdir.PAGE_SIZE));
    }
}
