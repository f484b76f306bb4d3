/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.completion.Failures;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.fabric.completion.WorkId;
import io.rdma4j.verbs.WcStatus;

import java.nio.ByteOrder;

/**
 * The one atomic of several steps that is under way, and which step is next: each is a work request of the operation's
 * slot. Nothing overtakes it. For the thread that uses the endpoint.
 */
final class AtomicSteps {
    /** The next step is to be posted. */
    static final int POST = 0;
    /** All is done; what counts it is to be posted. */
    static final int COUNT = 1;
    /** It is over, and its slot told. */
    static final int OVER = 2;
    private static final int NOBODY = -1;

    private final OpRing ring;
    private final OutPosts posts;
    private final KeyLookup scratch;
    private final Modification loop = new Modification();
    private int slot = NOBODY;

    /** What is fetched comes into the lookup's memory, where the slot has its place. */
    AtomicSteps(final OpRing ring, final OutPosts posts, final KeyLookup scratch) {
        this.ring = ring;
        this.posts = posts;
        this.scratch = scratch;
    }

    boolean areUnderWay() {
        if (slot != NOBODY && !ring.isUnderWay(slot)) {
            // It failed.
            abandon();
        }
        return slot != NOBODY;
    }

    /** Whether an operation takes them. */
    boolean areOf(final int which) {
        return slot == which;
    }

    /** Whether an operation takes them, and all are done but what counts it. */
    boolean areDone(final int which) {
        return slot == which && loop.isOver();
    }

    /** The first one is ready to be posted. */
    void begin(final int itsSlot, final Rma rma) {
        rma.modification.copyTo(loop);
        loop.begin();
        posts.keep(itsSlot, rma, 0, 0);
        posts.place(itsSlot);
        ring.putLong(itsSlot, OpRing.REMOTE, loop.firstWord());
        step(itsSlot, RmaOperation.ADD, 0, 0);
        slot = itsSlot;
    }

    /** Without a word: the slot is another one's, or told by whoever calls. */
    void abandon() {
        slot = NOBODY;
        loop.letGo();
    }

    private void step(final int itsSlot, final RmaOperation operation, final long operand, final long swap) {
        ring.putInt(itsSlot, OpRing.OPERATION, operation.ordinal());
        ring.putLong(itsSlot, OpRing.OPERAND, operand);
        ring.putLong(itsSlot, OpRing.SWAP, swap);
    }

    /** After a step; {@code what} of {@link WorkId} was it. {@link #POST}, {@link #COUNT} or {@link #OVER}. */
    int next(final int what) {
        if (what == WorkId.CELL) {
            return end(0, 0);
        }
        final int at = posts.placeOf(slot);
        if (loop.replaces(scratch.buffer().getLong(at, ByteOrder.nativeOrder()))) {
            if (loop.isHopeless()) {
                return end(FiErrno.FI_EBUSY, Failures.CONTENDED);
            }
            step(slot, RmaOperation.SWAP, loop.expected(), loop.next());
            return POST;
        }
        if (!loop.store(scratch.buffer().addressOffset() + at)) {
            return end(FiErrno.FI_EFAULT, Failures.detail(WcStatus.LOC_PROT_ERR, 0));
        }
        if (loop.advance()) {
            ring.putLong(slot, OpRing.REMOTE, ring.getLong(slot, OpRing.REMOTE) + Long.BYTES);
            ring.putLong(slot, OpRing.IOVA, ring.getLong(slot, OpRing.IOVA) + Long.BYTES);
            step(slot, RmaOperation.ADD, 0, 0);
            return POST;
        }
        return loop.hasModified() && ring.getLong(slot, OpRing.CELL_IOVA) != 0 ? COUNT : end(0, 0);
    }

    private int end(final int errno, final int detail) {
        final int ended = slot;
        ring.putLong(ended, OpRing.LENGTH, loop.bytes());
        abandon();
        ring.done(ended, errno, detail);
        return OVER;
    }
}
