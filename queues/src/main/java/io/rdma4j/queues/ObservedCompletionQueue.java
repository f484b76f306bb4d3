/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A completion queue that shows each CQE to somebody when the driver sees it for the first time, for traces. A class of
 * its own, so that the others need not ask.
 */
public final class ObservedCompletionQueue extends CompletionQueue {
    private final CqeObserver observer;
    /** CQEs from the head on that were shown. */
    private int shown;

    /**
     * Uses a completion queue that was created over this memory.
     *
     * @param ring        memory of the queue
     * @param stateOffset of the ring's two indices: the rx half of the state page
     * @param cqesOffset  of the first CQE
     * @param count       CQEs, a power of two
     * @param doorbell    of the device
     * @param handle      of the queue
     * @param observer    is shown each CQE once, by the polling thread
     * @throws IllegalArgumentException if that does not fit the memory, or the handle does not fit the doorbell word
     */
    public ObservedCompletionQueue(final UnsafeBuffer ring, final int stateOffset, final int cqesOffset,
        final int count, final Doorbell doorbell, final int handle, final CqeObserver observer) {
        super(ring, stateOffset, cqesOffset, count, doorbell, handle);
        this.observer = observer;
    }

    /** Shows the CQE, and those before it that nobody looked at. */
    @Override
    public int cqeOffset(final int i) {
        while (shown <= i) {
            observer.onCqe(buffer(), super.cqeOffset(shown++));
        }
        return super.cqeOffset(i);
    }

    @Override
    public void consume(final int n) {
        if (n > 0) {
            cqeOffset(n - 1);
        }
        shown -= n;
        super.consume(n);
    }

    /**
     * Is shown CQEs.
     */
    @FunctionalInterface
    public interface CqeObserver {
        /**
         * Looks at a CQE.
         *
         * @param ring   holds it
         * @param offset where it begins
         */
        void onCqe(UnsafeBuffer ring, int offset);
    }
}
