/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.QueuePair;
import org.agrona.concurrent.UnsafeBuffer;

/** Writes CQEs as a device would that has gone wrong. The device itself must write none afterwards. */
final class Forgery {
    private final PvrdmaCq cq;
    private final UnsafeBuffer ring;
    private int flags;
    private int immData;

    Forgery(final CompletionQueue cq) {
        this.cq = (PvrdmaCq) cq;
        this.ring = this.cq.ringBuffer();
    }

    /** What the next ones carry besides. */
    void flags(final int newFlags, final int newImmData) {
        flags = newFlags;
        immData = newImmData;
    }

    void write(final QueuePair qp, final int opcode, final int status, final int bytes, final long id) {
        final int tail = ring.getInt(RingState.RX_OFFSET);
        final int cqe = RingMemory.ELEMENTS_OFFSET + (tail & cq.capacity() - 1) * Cqe.LENGTH;
        Cqe.qp(ring, cqe, ((PvrdmaQp) qp).handle);
        Cqe.opcode(ring, cqe, opcode);
        Cqe.status(ring, cqe, status);
        Cqe.byteLen(ring, cqe, bytes);
        Cqe.wrId(ring, cqe, id);
        Cqe.wcFlags(ring, cqe, flags);
        Cqe.immData(ring, cqe, immData);
        ring.putIntRelease(RingState.RX_OFFSET, tail + 1 & 2 * cq.capacity() - 1);
    }
}
