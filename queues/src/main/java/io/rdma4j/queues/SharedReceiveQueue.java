/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Uar;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A shared receive queue, as the driver uses it. Its buffers complete in any order and through the completion queues of
 * many queue pairs, so the {@code wr_id} of its WQEs is the application's own and completions are only counted.
 */
public final class SharedReceiveQueue extends WorkQueue {
    private int largest;

    /**
     * Uses a shared receive queue that was created over this memory, and counts for nobody to see.
     *
     * @param ring        memory of the queue
     * @param stateOffset of the ring's two indices: the rx half of the state page
     * @param rqOffset    of the first WQE
     * @param count       WQEs, a power of two
     * @param maxSge      entries per WQE as told to the device, which derives the stride from it
     * @param doorbell    of the device
     * @param handle      of the queue
     * @throws IllegalArgumentException if that does not fit the memory, or the handle does not fit the doorbell word
     */
    public SharedReceiveQueue(final UnsafeBuffer ring, final int stateOffset, final int rqOffset, final int count,
        final int maxSge, final Doorbell doorbell, final int handle) {
        this(ring, stateOffset, rqOffset, count, maxSge, doorbell, handle, QueueTotals.unseen());
    }

    /**
     * Uses a shared receive queue that was created over this memory.
     *
     * @param ring        memory of the queue
     * @param stateOffset of the ring's two indices: the rx half of the state page
     * @param rqOffset    of the first WQE
     * @param count       WQEs, a power of two
     * @param maxSge      entries per WQE as told to the device, which derives the stride from it
     * @param doorbell    of the device
     * @param handle      of the queue
     * @param totals      where to leave what is counted
     * @throws IllegalArgumentException if that does not fit the memory, or the handle does not fit the doorbell word
     */
    public SharedReceiveQueue(final UnsafeBuffer ring, final int stateOffset, final int rqOffset, final int count,
        final int maxSge, final Doorbell doorbell, final int handle, final QueueTotals totals) {
        super(new RingPlace(ring, stateOffset, rqOffset, count), RqWqe.stride(maxSge), maxSge, doorbell,
            Uar.SRQ_OFFSET, Uar.srqRecv(Handles.require(handle)), totals);
    }

    /**
     * Poster: takes the next slot. The header of its WQE is zero but for {@code wr_id}; the caller writes the rest with
     * {@link RqWqe} and {@link io.rdma4j.hw.pvrdma.Sge}.
     *
     * @param userWrId the application's identifier, which the device will return
     * @return byte offset of the WQE in {@link #buffer()}, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int claim(final long userWrId) {
        return claim(userWrId, 0);
    }

    /**
     * Poster: takes the next slot, as {@link #claim(long)}.
     *
     * @param userWrId the application's identifier, which the device will return
     * @param length   bytes of the element's buffers, for {@link #largest()}
     * @return byte offset of the WQE in {@link #buffer()}, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int claim(final long userWrId, final int length) {
        return claim(userWrId, 0, length);
    }

    /**
     * Poster: takes the next slot and writes the whole header of its WQE; the caller writes the entries.
     *
     * @param userWrId the application's identifier, which the device will return
     * @param numSge   entries, at most {@link #maxSge()}
     * @param length   bytes of the element's buffers, for {@link #largest()}
     * @return byte offset of the WQE in {@link #buffer()}, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int claim(final long userWrId, final int numSge, final int length) {
        final long seq = posted;
        final int code = findSpace(seq);
        if (code < 0) {
            return code;
        }
        if (length > largest) {
            largest = length;
        }
        writeReceive(addressOf(seq), userWrId, numSge);
        return offsetOf(seq);
    }

    /**
     * Any poller, after {@link #completed()}: no element that was posted has more bytes than this.
     *
     * @return the greatest length that was given to {@code claim}
     */
    public int largest() {
        return largest;
    }

    /**
     * Any poller: counts a completion; a slot can be claimed again.
     *
     * @return false if nothing was outstanding: the device completed more than was posted
     */
    public boolean completed() {
        long done;
        do {
            done = retiredAcquire();
            if (done >= publishedAcquire()) {
                return false;
            }
        } while (!retire(done, done + 1));
        showRetired();
        return true;
    }
}
