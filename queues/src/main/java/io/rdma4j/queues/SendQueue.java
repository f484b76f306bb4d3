/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.layout.Words;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.hw.pvrdma.Uar;
import io.rdma4j.hw.pvrdma.WrOpcode;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The send queue of a queue pair, as the driver uses it.
 *
 * <p>All bytes of a WQE's header that its operation does not have are zero: one device model reads the index of a GID
 * behind {@code wr.rdma} whatever the opcode. To clear 80 bytes for each post would cost as much as the rest of it, so
 * what only some operations write is cleared only where such an operation may have been in the slot before.
 */
public final class SendQueue extends SequencedQueue {
    /** Where in a WQE begins what only some operations write. */
    private static final int BEHIND_RDMA = SqWqe.RDMA_RKEY_OFFSET + Long.BYTES;

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
     * {@link SqWqe} and {@link io.rdma4j.hw.pvrdma.Sge}, whatever it likes.
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
        final long seq = posted;
        final int code = findAnySpace(seq, userWrId, flags, length);
        if (code < 0) {
            return code;
        }
        write(seq, 0, 0, 0);
        return offsetOf(seq);
    }

    /**
     * Poster: takes the next slot and writes the whole header of its WQE: {@code wr_id}, {@code num_sge},
     * {@code opcode} and {@code send_flags}, and zero for all that follows until the entries. The caller writes what
     * the operation has beside these, and the entries.
     *
     * @param ahead    elements that are claimed before it and not committed
     * @param userWrId the application's identifier
     * @param opcode   the {@link WrOpcode}. If the caller is going to write further than {@link SqWqe#rdma} does, and
     *                 not because of the opcode, {@link #markWide(int)} says so
     * @param flags    the {@link io.rdma4j.hw.pvrdma.SendFlags}, also for the poller
     * @param numSge   entries, at most {@link #maxSge()}
     * @param length   bytes of the element's buffers, for the poller
     * @return byte offset of the WQE in {@link #buffer()}, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int claim(final int ahead, final long userWrId, final int opcode, final int flags, final int numSge,
        final int length) {
        final long seq = posted + ahead;
        final int code = findSpace(seq);
        if (code < 0) {
            return code;
        }
        remember(seq, userWrId, flags, length);
        write(seq, opcode, flags, numSge);
        return offsetOf(seq);
    }

    /**
     * Poster: takes the next slot and writes a WQE with one entry: what claiming and an
     * {@link io.rdma4j.hw.pvrdma.Sge} do, with a third less of instructions as nothing has to be found again.
     *
     * @param ahead    elements that are claimed before it and not committed
     * @param userWrId the application's identifier
     * @param opcode   a {@link WrOpcode} that needs nothing but this
     * @param flags    the {@link io.rdma4j.hw.pvrdma.SendFlags}, also for the poller
     * @param addr     address of the first byte
     * @param length   bytes, also for the poller
     * @param lkey     local key
     * @return 0, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int put(final int ahead, final long userWrId, final int opcode, final int flags, final long addr,
        final int length, final int lkey) {
        final long seq = posted + ahead;
        final int code = maxSge() == 0 ? FULL : findSpace(seq);
        if (code < 0) {
            return code;
        }
        remember(seq, userWrId, flags, length);
        write(seq, opcode, flags, 1);
        writeSge(addressOf(seq) + SqWqe.SGE_OFFSET, addr, length, lkey);
        return code;
    }

    /** As {@link #findSpace}, for an element of which is not known how far it will be written. */
    private int findAnySpace(final long seq, final long userWrId, final int flags, final int length) {
        final int code = findSpace(seq);
        if (code == 0) {
            markWide(seq);
            remember(seq, userWrId, flags, length);
        }
        return code;
    }

    private void write(final long seq, final int opcode, final int flags, final int numSge) {
        final long wqe = addressOf(seq);
        Words.put(wqe + SqWqe.WR_ID_OFFSET, seq);
        Words.put(wqe + SqWqe.NUM_SGE_OFFSET, Words.pair(numSge, 0));
        Words.put(wqe + SqWqe.OPCODE_OFFSET, Words.pair(opcode, flags));
        if (opcode != WrOpcode.PVRDMA_WR_SEND) {
            markDirty(seq);
            if (!isNarrow(opcode)) {
                wideBelow = dirtyBelow;
            }
            clear(seq, wqe);
        } else if (seq < dirtyBelow) {
            clear(seq, wqe);
        }
    }

    /** What may be left of another operation. In loops each store would be a test too. */
    private void clear(final long seq, final long wqe) {
        Words.put(wqe + SqWqe.IMM_DATA_OFFSET, 0);
        Words.put(wqe + SqWqe.RDMA_REMOTE_ADDR_OFFSET, 0);
        Words.put(wqe + SqWqe.RDMA_RKEY_OFFSET, 0);
        if (seq < wideBelow) {
            clearBehindRdma(wqe);
        }
    }

    private static void clearBehindRdma(final long wqe) {
        Words.put(wqe + BEHIND_RDMA, 0);
        Words.put(wqe + BEHIND_RDMA + 8, 0);
        Words.put(wqe + BEHIND_RDMA + 16, 0);
        Words.put(wqe + BEHIND_RDMA + 24, 0);
    }

    /** Whether an operation writes nothing behind the key of the peer. The most frequent ones have low numbers. */
    private static boolean isNarrow(final int opcode) {
        return opcode >= 0 && opcode <= WrOpcode.PVRDMA_WR_RDMA_READ
            || opcode >= WrOpcode.PVRDMA_WR_SEND_WITH_INV && opcode <= WrOpcode.PVRDMA_WR_LOCAL_INV;
    }

    /**
     * Poster: says of the claimed WQE, at any time before it is committed, that something is written into it behind
     * {@code wr.rdma} although its opcode does not tell: an address vector, or the index of a GID. Without this the
     * bytes would appear in a later WQE of the slot.
     *
     * @param ahead elements that are claimed before it and not committed
     */
    public void markWide(final int ahead) {
        markWide(posted + ahead);
    }

    private void markWide(final long seq) {
        markDirty(seq);
        wideBelow = dirtyBelow;
    }

    /** The next one in this slot is a lap later. */
    private void markDirty(final long seq) {
        dirtyBelow = seq + count() + 1;
    }

    /**
     * Poster: takes the next slot, as {@link #claim(long, int)}, and copies a WQE into it, all but its {@code wr_id}.
     *
     * @param ahead    elements that are claimed before it and not committed
     * @param userWrId the application's identifier
     * @param flags    what else the poller will need
     * @param length   bytes of the element's buffers, for the poller
     * @param from     a queue with as many entries per WQE, which no device knows
     * @param slot     where in that queue the WQE lies
     * @return byte offset of the WQE in {@link #buffer()}, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int claimCopy(final int ahead, final long userWrId, final int flags, final int length,
        final SendQueue from, final int slot) {
        final long seq = posted + ahead;
        final int code = findAnySpace(seq, userWrId, flags, length);
        if (code < 0) {
            return code;
        }
        final int used = SqWqe.sgeOffset(0, SqWqe.numSge(from.buffer(), from.slotOffset(slot)));
        final long wqe = addressOf(seq);
        copyBehindWrId(from.addressOf(slot), wqe, Math.min(used, Math.min(stride(), from.stride())));
        Words.put(wqe + SqWqe.WR_ID_OFFSET, seq);
        return offsetOf(seq);
    }

    /**
     * Poster: as {@link #claimCopy}, of a WQE with one entry that has nothing behind {@code wr.rdma}.
     *
     * @param ahead    elements that are claimed before it and not committed
     * @param userWrId the application's identifier
     * @param flags    what else the poller will need
     * @param length   bytes of the element's buffer, for the poller
     * @param from     a queue which no device knows; it and this one have room for an entry
     * @param slot     where in that queue the WQE lies
     * @return 0, or {@link #FULL} or {@link #DEVICE_ERROR}
     */
    public int putCopy(final int ahead, final long userWrId, final int flags, final int length, final SendQueue from,
        final int slot) {
        final long seq = posted + ahead;
        final int code = findSpace(seq);
        if (code < 0) {
            return code;
        }
        remember(seq, userWrId, flags, length);
        final long image = from.addressOf(slot);
        final long wqe = addressOf(seq);
        Words.put(wqe + SqWqe.WR_ID_OFFSET, seq);
        copy(image, wqe, SqWqe.NUM_SGE_OFFSET);
        final long opcodeAndFlags = copy(image, wqe, SqWqe.OPCODE_OFFSET);
        copy(image, wqe, SqWqe.SGE_OFFSET + Sge.ADDR_OFFSET);
        copy(image, wqe, SqWqe.SGE_OFFSET + Sge.LENGTH_OFFSET);
        if ((int) opcodeAndFlags != WrOpcode.PVRDMA_WR_SEND) {
            markDirty(seq);
            copyOrClear(seq, image, wqe);
        } else if (seq < dirtyBelow) {
            copyOrClear(seq, image, wqe);
        }
        return code;
    }

    /** What only some operations have. */
    private void copyOrClear(final long seq, final long image, final long wqe) {
        copy(image, wqe, SqWqe.IMM_DATA_OFFSET);
        copy(image, wqe, SqWqe.RDMA_REMOTE_ADDR_OFFSET);
        copy(image, wqe, SqWqe.RDMA_RKEY_OFFSET);
        if (seq < wideBelow) {
            clearBehindRdma(wqe);
        }
    }

    private static long copy(final long from, final long to, final int offset) {
        final long word = UnsafeApi.getLong(from + offset);
        UnsafeApi.putLong(to + offset, word);
        return word;
    }

    private static void copyBehindWrId(final long from, final long to, final int length) {
        for (int i = Long.BYTES; i < length; i += Long.BYTES) {
            copy(from, to, i);
        }
    }
}
