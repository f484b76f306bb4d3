/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.queues;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.Uar;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A completion queue, as the driver uses it: {@link #available}, read the CQEs in place, {@link #consume} once for all
 * of them. One thread at a time.
 */
public sealed class CompletionQueue extends ConsumerCursor permits ObservedCompletionQueue {
    /** Of {@link #available} and {@link #purge}: the device wrote an index that cannot be. */
    public static final int CORRUPT = -1;

    private static final int CQE_SHIFT = Integer.numberOfTrailingZeros(Cqe.LENGTH);

    /** Keeps the memory whose addresses follow. */
    private final UnsafeBuffer ring;
    private final long prodTail;
    private final long consHead;
    private final int cqesOffset;
    private final int count;
    private final int slotMask;
    private final int indexMask;
    private final Doorbell doorbell;
    private final int handle;

    /**
     * Uses a completion queue that was created over this memory.
     *
     * @param ring        memory of the queue
     * @param stateOffset of the ring's two indices: the rx half of the state page
     * @param cqesOffset  of the first CQE
     * @param count       CQEs, a power of two
     * @param doorbell    of the device
     * @param handle      of the queue
     * @throws IllegalArgumentException if that does not fit the memory, or the handle does not fit the doorbell word
     */
    public CompletionQueue(final UnsafeBuffer ring, final int stateOffset, final int cqesOffset, final int count,
        final Doorbell doorbell, final int handle) {
        final RingPlace place = new RingPlace(ring, stateOffset, cqesOffset, count);
        place.requireFits(Cqe.LENGTH);
        this.ring = ring;
        this.prodTail = place.state(RingState.PROD_TAIL_OFFSET);
        this.consHead = place.state(RingState.CONS_HEAD_OFFSET);
        this.cqesOffset = cqesOffset;
        this.count = count;
        this.slotMask = count - 1;
        this.indexMask = 2 * count - 1;
        this.doorbell = doorbell;
        this.handle = Handles.require(handle);
    }

    /**
     * {@return the memory in which the CQEs lie}
     */
    public UnsafeBuffer buffer() {
        return ring;
    }

    /**
     * {@return how many CQEs the queue holds}
     */
    public int count() {
        return count;
    }

    /**
     * Looks at the device's index.
     *
     * @return how many CQEs can be read, 0 to {@link #count()}, or {@link #CORRUPT}
     */
    public int available() {
        // Acquire, meets the release in CqeProducer.publish: who sees the index sees the CQEs below it.
        final int tail = Fences.fromDevice(prodTail);
        final int used = tail - head & indexMask;
        if (used > count || (tail & ~indexMask) != 0) {
            return CORRUPT;
        }
        ready = used;
        return used;
    }

    /**
     * Looks at the device's index only if fewer CQEs are known than the caller wants: each look may cost a cache miss.
     *
     * @param wanted how many the caller would take
     * @return how many CQEs can be read, which may be more or fewer, or {@link #CORRUPT}
     */
    public int available(final int wanted) {
        final int known = ready;
        return known >= wanted ? known : available();
    }

    /**
     * Where a CQE is.
     *
     * @param i 0 for the oldest one, below what {@link #available} returned
     * @return byte offset in {@link #buffer()}
     */
    public int cqeOffset(final int i) {
        return cqesOffset + (((head + i) & slotMask) << CQE_SHIFT);
    }

    /**
     * Gives CQEs back to the device, which may write over them at once.
     *
     * @param n how many, at most what {@link #available} returned
     */
    public void consume(final int n) {
        assert n >= 0 && n <= ready : n + " of " + ready;
        final int next = head + n & indexMask;
        head = next;
        ready -= n;
        // Release, meets the acquire in CqeProducer.claim: the CQEs have been read before they are written again.
        Fences.toDevice(consHead, next);
    }

    /**
     * Asks the device to complete what it has, before the queue is called empty.
     */
    public void poke() {
        doorbell.ring(Uar.CQ_OFFSET, Uar.cqPoll(handle));
    }

    /**
     * Asks for an interrupt with the next completion. Look for completions once more afterwards: for those that came
     * before, there is none.
     */
    public void arm() {
        armWord(Uar.CQ_ARM);
    }

    /**
     * Asks for an interrupt with the next solicited completion, or the next failed one. See {@link #arm()}.
     */
    public void armSolicited() {
        armWord(Uar.CQ_ARM_SOL);
    }

    /**
     * Arms with other bits, for devices that understand them otherwise. See {@link #arm()}.
     *
     * @param bits command bits of the doorbell word
     */
    public void armWord(final int bits) {
        doorbell.ring(Uar.CQ_OFFSET, handle | bits);
        Fences.armedBeforeLoads();
    }

    /**
     * Removes CQEs. Those which stay keep their order; offsets got before are void.
     *
     * @param filter says which
     * @return how many were removed, or {@link #CORRUPT}
     */
    public int purge(final CqeFilter filter) {
        final int known = available();
        if (known <= 0) {
            return known;
        }
        int kept = known;
        for (int i = known - 1; i >= 0; i--) {
            final int from = cqeOffset(i);
            if (!filter.matches(ring, from)) {
                moveTo(--kept, i, from);
            }
        }
        consume(kept);
        return kept;
    }

    /** From the tail towards the head, so that the device may append meanwhile. */
    private void moveTo(final int to, final int i, final int from) {
        if (to != i) {
            ring.putBytes(cqeOffset(to), ring, from, Cqe.LENGTH);
        }
    }

    /**
     * Removes the CQEs of a queue pair.
     *
     * @param qpHandle its handle, of which all 24 bits are compared
     * @return how many were removed, or {@link #CORRUPT}
     */
    public int purge(final int qpHandle) {
        return purge((buffer, offset) -> ((int) Cqe.qp(buffer, offset) & Uar.HANDLE_MASK) == qpHandle);
    }

    /**
     * {@return the state of both ends, for a person}
     */
    @Override
    public String toString() {
        return "CompletionQueue[count=" + count + ", handle=" + handle + ", head=" + head + ", ready=" + ready
            + ", prod_tail=" + Fences.fromDevice(prodTail) + ", cons_head=" + Fences.fromDevice(consHead) + "]";
    }

    /**
     * Chooses CQEs.
     */
    @FunctionalInterface
    public interface CqeFilter {
        /**
         * Looks at a CQE.
         *
         * @param buffer holds it
         * @param offset where it begins
         * @return whether it is meant
         */
        boolean matches(UnsafeBuffer buffer, int offset);
    }
}
