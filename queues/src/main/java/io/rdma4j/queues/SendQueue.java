/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.Uar;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The send queue of a queue pair, as the driver uses it.
 */
public final class SendQueue extends SequencedQueue {
    /**
     * Uses the send queue of a queue pair that was created over this memory, and counts for nobody to see.
     *
     * @param ring        memory of the queue pair
     * @param stateOffset of the ring's two indices: the tx half of the state page
     * @param sqOffset    of the first WQE
     * @param count       WQEs, a power of two
     * @param maxSge      entries per WQE as told to the device, which derives the stride from it
     * @param doorbell    of the device
     * @param handle      of the queue pair
     * @throws IllegalArgumentException if that does not fit the memory, or the handle does not fit the doorbell word
     */
    public SendQueue(final UnsafeBuffer ring, final int stateOffset, final int sqOffset, final int count,
        final int maxSge, final Doorbell doorbell, final int handle) {
        this(ring, stateOffset, sqOffset, count, maxSge, doorbell, handle, QueueTotals.unseen());
    }

    /**
     * Uses the send queue of a queue pair that was created over this memory.
     *
     * @param ring        memory of the queue pair
     * @param stateOffset of the ring's two indices: the tx half of the state page
     * @param sqOffset    of the first WQE
     * @param count       WQEs, a power of two
     * @param maxSge      entries per WQE as told to the device, which derives the stride from it
     * @param doorbell    of the device
     * @param handle      of the queue pair
     * @param totals      where to leave what is counted
     * @throws IllegalArgumentException if that does not fit the memory, or the handle does not fit the doorbell word
     */
    public SendQueue(final UnsafeBuffer ring, final int stateOffset, final int sqOffset, final int count,
        final int maxSge, final Doorbell doorbell, final int handle, final QueueTotals totals) {
        super(new RingPlace(ring, stateOffset, sqOffset, count), SqWqe.stride(maxSge), maxSge, doorbell,
            Uar.QP_OFFSET, Uar.qpSend(Handles.require(handle)), totals);
    }

    /**
     * Poster: takes the next slot. The header of its WQE is zero but for {@code wr_id}; the caller writes the rest with
     * {@link SqWqe} and {@link io.rdma4j.hw.pvrdma.Sge}.
     *
     * @param userWrId the application's identifier
     * @param flags    what else the poller will need, such as whether the application wants a completion
     * @return byte offset of the WQE in {@link #buffer()}, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int claim(final long userWrId, final int flags) {
        return claim(userWrId, flags, 0);
    }

    /**
     * Poster: takes the next slot, as {@link #claim(long, int)}.
     *
     * @param userWrId the application's identifier
     * @param flags    what else the poller will need
     * @param length   bytes of the element's buffers, for the poller
     * @return byte offset of the WQE in {@link #buffer()}, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int claim(final long userWrId, final int flags, final int length) {
        final int offset = claimElement();
        if (offset >= 0) {
            final long seq = posted;
            remember(seq, userWrId, flags, length);
            clearBehindWrId(buffer(), offset);
            SqWqe.wrId(buffer(), offset, seq);
        }
        return offset;
    }

    /**
     * Poster: takes the next slot, as {@link #claim(long, int)}, and copies a WQE into it, all but its {@code wr_id}.
     *
     * @param userWrId the application's identifier
     * @param flags    what else the poller will need
     * @param length   bytes of the element's buffers, for the poller
     * @param from     a queue with as many entries per WQE, which no device knows
     * @param slot     where in that queue the WQE lies
     * @return byte offset of the WQE in {@link #buffer()}, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int claimCopy(final long userWrId, final int flags, final int length, final SendQueue from,
        final int slot) {
        final int offset = claimElement();
        if (offset >= 0) {
            final long seq = posted;
            remember(seq, userWrId, flags, length);
            final int wqe = from.slotOffset(slot);
            final int used = SqWqe.sgeOffset(0, SqWqe.numSge(from.buffer(), wqe));
            copyBehindWrId(from.buffer(), wqe, buffer(), offset, Math.min(used, Math.min(stride(), from.stride())));
            SqWqe.wrId(buffer(), offset, seq);
        }
        return offset;
    }

    /** As {@link #clearBehindWrId}: in a loop over the buffers each step would load their fields anew. */
    private static void copyBehindWrId(
        final UnsafeBuffer from, final int at, final UnsafeBuffer to, final int offset, final int length) {
        final byte[] source = from.byteArray();
        final byte[] target = to.byteArray();
        final long first = from.addressOffset() + at;
        final long shift = to.addressOffset() + offset - first;
        for (long word = first + Long.BYTES; word < first + length; word += Long.BYTES) {
            UnsafeApi.putLong(target, word + shift, UnsafeApi.getLong(source, word));
        }
    }

    /**
     * Ten stores through the buffer would each load its fields anew, as the JVM must take them for overwritten by the
     * store before, and cost as much as all the rest of a post. The offset is inside of the ring by construction.
     */
    private static void clearBehindWrId(final UnsafeBuffer buffer, final int offset) {
        final byte[] array = buffer.byteArray();
        final long wqe = buffer.addressOffset() + offset;
        UnsafeApi.putLong(array, wqe + 8, 0L);
        UnsafeApi.putLong(array, wqe + 16, 0L);
        UnsafeApi.putLong(array, wqe + 24, 0L);
        UnsafeApi.putLong(array, wqe + 32, 0L);
        UnsafeApi.putLong(array, wqe + 40, 0L);
        UnsafeApi.putLong(array, wqe + 48, 0L);
        UnsafeApi.putLong(array, wqe + 56, 0L);
        UnsafeApi.putLong(array, wqe + 64, 0L);
        UnsafeApi.putLong(array, wqe + 72, 0L);
    }
}
