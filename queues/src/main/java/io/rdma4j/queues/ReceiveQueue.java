/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Uar;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The receive queue of a queue pair, as the driver uses it.
 */
public final class ReceiveQueue extends SequencedQueue {
    /**
     * Uses the receive queue of a queue pair that was created over this memory, and counts for nobody to see.
     *
     * @param ring        memory of the queue pair
     * @param stateOffset of the ring's two indices: the rx half of the state page
     * @param rqOffset    of the first WQE
     * @param count       WQEs, a power of two
     * @param maxSge      entries per WQE as told to the device, which derives the stride from it
     * @param doorbell    of the device
     * @param handle      of the queue pair
     * @throws IllegalArgumentException if that does not fit the memory, or the handle does not fit the doorbell word
     */
    public ReceiveQueue(final UnsafeBuffer ring, final int stateOffset, final int rqOffset, final int count,
        final int maxSge, final Doorbell doorbell, final int handle) {
        this(ring, stateOffset, rqOffset, count, maxSge, doorbell, handle, QueueTotals.unseen());
    }

    /**
     * Uses the receive queue of a queue pair that was created over this memory.
     *
     * @param ring        memory of the queue pair
     * @param stateOffset of the ring's two indices: the rx half of the state page
     * @param rqOffset    of the first WQE
     * @param count       WQEs, a power of two
     * @param maxSge      entries per WQE as told to the device, which derives the stride from it
     * @param doorbell    of the device
     * @param handle      of the queue pair
     * @param totals      where to leave what is counted
     * @throws IllegalArgumentException if that does not fit the memory, or the handle does not fit the doorbell word
     */
    public ReceiveQueue(final UnsafeBuffer ring, final int stateOffset, final int rqOffset, final int count,
        final int maxSge, final Doorbell doorbell, final int handle, final QueueTotals totals) {
        super(new RingPlace(ring, stateOffset, rqOffset, count), RqWqe.stride(maxSge), maxSge, doorbell,
            Uar.QP_OFFSET, Uar.qpRecv(Handles.require(handle)), totals);
    }

    /**
     * Poster: takes the next slot. The header of its WQE is zero but for {@code wr_id}; the caller writes the rest with
     * {@link RqWqe} and {@link io.rdma4j.hw.pvrdma.Sge}.
     *
     * @param userWrId the application's identifier
     * @return byte offset of the WQE in {@link #buffer()}, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int claim(final long userWrId) {
        return claim(userWrId, 0);
    }

    /**
     * Poster: takes the next slot, as {@link #claim(long)}.
     *
     * @param userWrId the application's identifier
     * @param length   bytes of the element's buffers, for the poller
     * @return byte offset of the WQE in {@link #buffer()}, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int claim(final long userWrId, final int length) {
        return claim(0, userWrId, 0, length);
    }

    /**
     * Poster: takes the next slot and writes the whole header of its WQE; the caller writes the entries.
     *
     * @param ahead    elements that are claimed before it and not committed
     * @param userWrId the application's identifier
     * @param numSge   entries, at most {@link #maxSge()}
     * @param length   bytes of the element's buffers, for the poller
     * @return byte offset of the WQE in {@link #buffer()}, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int claim(final int ahead, final long userWrId, final int numSge, final int length) {
        final long seq = posted + ahead;
        final int code = findSpace(seq);
        if (code < 0) {
            return code;
        }
        remember(seq, userWrId, 0, length);
        writeReceive(addressOf(seq), seq, numSge);
        return offsetOf(seq);
    }

    /**
     * Poster: takes the next slot and writes a WQE with one entry: what claiming and an
     * {@link io.rdma4j.hw.pvrdma.Sge} do, with a third less of instructions as nothing has to be found again.
     *
     * @param ahead    elements that are claimed before it and not committed
     * @param userWrId the application's identifier
     * @param addr     address of the first byte
     * @param length   bytes, also for the poller
     * @param lkey     local key
     * @return 0, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int put(final int ahead, final long userWrId, final long addr, final int length, final int lkey) {
        final long seq = posted + ahead;
        final int code = maxSge() == 0 ? FULL : findSpace(seq);
        if (code < 0) {
            return code;
        }
        remember(seq, userWrId, 0, length);
        final long wqe = addressOf(seq);
        writeReceive(wqe, seq, 1);
        writeSge(wqe + RqWqe.SGE_OFFSET, addr, length, lkey);
        return code;
    }
}
