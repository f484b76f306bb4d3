/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.harness;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.hw.pvrdma.SqWqe;
import java.nio.ByteBuffer;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a SEND of 64 bytes writes and reads by the device's format, and nothing else: a work request and its index, the
 * receive, the message, a completion and its index, the receive posted again. There are no keys, no states, no locks
 * and no checks: it tells how much of what a SEND takes is owed to the format.
 *
 * <p>One thread sends, which does the device's part too, one takes. All that they share is memory.
 */
public final class SendLines {
    private static final int PAGE = 4096;
    private static final int LENGTH = Sizes.MESSAGE;
    private static final int SQ_STRIDE = SqWqe.stride(1);
    private static final int RQ_STRIDE = RqWqe.stride(1);
    /** Both indices of a ring are in one line. */
    private static final int TAIL = 0;
    private static final int HEAD = 4;
    /** As a queue pair has its pages: those indices, the ring. */
    private static final int SENDS = PAGE;
    private static final int RECEIVE_STATE = 2 * PAGE;
    private static final int RECEIVES = 3 * PAGE;
    private static final int PAGES = 4;

    private final UnsafeBuffer rings = memory(PAGES * PAGE, PAGE);
    private final UnsafeBuffer messages;
    private final int mask;
    private final int source;

    /** Completions, of one sender or of many that take turns on one thread. */
    public static final class Queue {
        private final UnsafeBuffer state = memory(PAGE, PAGE);
        private final UnsafeBuffer entries;
        private final int mask;

        /**
         * An empty queue.
         *
         * @param capacity a power of two
         */
        public Queue(final int capacity) {
            entries = memory(capacity * Cqe.LENGTH, PAGE);
            mask = capacity - 1;
        }

        /**
         * Adds a completion.
         *
         * @param n    how many there were before
         * @param wrId whose
         */
        public void add(final long n, final long wrId) {
            final int entry = ((int) n & mask) * Cqe.LENGTH;
            entries.putLong(entry + Cqe.WR_ID_OFFSET, wrId);
            entries.putLong(entry + Cqe.QP_OFFSET, 1);
            entries.putLong(entry + Cqe.OPCODE_OFFSET, 2);
            entries.putInt(entry + Cqe.BYTE_LEN_OFFSET, LENGTH);
            state.putIntRelease(TAIL, (int) n + 1);
        }

        /**
         * Whether a completion is there.
         *
         * @param n how many were taken before
         * @return whether {@link #take} may be called
         */
        public boolean has(final long n) {
            return state.getIntAcquire(TAIL) != (int) n;
        }

        /**
         * Takes the completion that {@link #has} has seen.
         *
         * @param n how many were taken before
         * @return whose
         */
        public long take(final long n) {
            final int entry = ((int) n & mask) * Cqe.LENGTH;
            final long wrId = entries.getLong(entry + Cqe.WR_ID_OFFSET);
            if (entries.getInt(entry + Cqe.STATUS_OFFSET) != 0) {
                throw new IllegalStateException("completion " + n + " of " + wrId + " has a status");
            }
            state.putIntRelease(HEAD, (int) n + 1);
            return wrId;
        }
    }

    /**
     * A pair of queues with all receives posted.
     *
     * @param depth a power of two, at most 32: how many receives there are
     */
    public SendLines(final int depth) {
        // Not at the same place of each page: that would be one set of the cache for all pairs.
        messages = memory((depth + 1) * LENGTH, LENGTH);
        mask = depth - 1;
        source = depth * LENGTH;
        for (int slot = 0; slot < depth; slot++) {
            describe(slot);
        }
        rings.putIntRelease(RECEIVE_STATE + TAIL, depth);
    }

    /** At least so much: a slice ends at a multiple of its alignment, too, and may have nothing of less than that. */
    private static UnsafeBuffer memory(final int bytes, final int alignment) {
        return new UnsafeBuffer(
            ByteBuffer.allocateDirect(BitUtil.align(bytes, alignment) + alignment).alignedSlice(alignment));
    }

    private void describe(final int slot) {
        final int receive = RECEIVES + slot * RQ_STRIDE;
        rings.putLong(receive + RqWqe.WR_ID_OFFSET, slot);
        rings.putLong(receive + RqWqe.NUM_SGE_OFFSET, 1);
        rings.putLong(receive + RqWqe.SGE_OFFSET + Sge.ADDR_OFFSET, (long) slot * LENGTH);
        rings.putInt(receive + RqWqe.SGE_OFFSET + Sge.LENGTH_OFFSET, LENGTH);
    }

    /**
     * Sends the number of a message, and completes its receive.
     *
     * @param n         how many were sent before
     * @param queue     gets the completion
     * @param completed how many it has got before
     * @return false if no receive is posted
     */
    public boolean send(final long n, final Queue queue, final long completed) {
        final int slot = (int) n & mask;
        final int request = SENDS + slot * SQ_STRIDE;
        messages.putLong(source, n);
        rings.putLong(request + SqWqe.WR_ID_OFFSET, n);
        rings.putLong(request + SqWqe.NUM_SGE_OFFSET, 1);
        rings.putLong(request + SqWqe.OPCODE_OFFSET, 2);
        rings.putLong(request + SqWqe.SGE_OFFSET + Sge.ADDR_OFFSET, source);
        rings.putInt(request + SqWqe.SGE_OFFSET + Sge.LENGTH_OFFSET, LENGTH);
        rings.putIntRelease(TAIL, (int) n + 1);
        if (rings.getIntAcquire(RECEIVE_STATE + TAIL) == (int) n) {
            return false;
        }
        final int receive = RECEIVES + slot * RQ_STRIDE;
        final int target = (int) rings.getLong(receive + RqWqe.SGE_OFFSET + Sge.ADDR_OFFSET);
        final int from = (int) rings.getLong(request + SqWqe.SGE_OFFSET + Sge.ADDR_OFFSET);
        for (int at = 0; at < LENGTH; at += Long.BYTES) {
            messages.putLong(target + at, messages.getLong(from + at));
        }
        rings.putIntRelease(RECEIVE_STATE + HEAD, (int) n + 1);
        queue.add(completed, rings.getLong(receive + RqWqe.WR_ID_OFFSET));
        rings.putIntRelease(HEAD, (int) n + 1);
        return true;
    }

    /**
     * Reads the message that a completion told of.
     *
     * @param wrId the completion's
     * @return its number
     */
    public long message(final long wrId) {
        return messages.getLong((int) wrId * LENGTH);
    }

    /**
     * Posts the receives of the last messages again.
     *
     * @param n     how many messages were taken
     * @param count of how many of them the receives are not posted yet
     */
    public void giveBack(final long n, final int count) {
        for (int i = count; i > 0; i--) {
            describe((int) (n - i) & mask);
        }
        rings.putIntRelease(RECEIVE_STATE + TAIL, (int) n + mask + 1);
    }
}
