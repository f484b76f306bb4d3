/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.queues.ReceiveQueue;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import org.agrona.concurrent.UnsafeBuffer;

/** Posting to a QP's own receive queue. */
final class ReceivePath extends PostPath<ReceiveRequest> {
    /** Null for a QP that takes its receives from a shared queue. */
    final ReceiveQueue queue;
    private final UnsafeBuffer wqes;

    ReceivePath(final ReceiveQueue queue, final PvrdmaCq cq) {
        super(queue, cq, queue == null ? ReturnCode.HAS_SRQ : ReturnCode.WRONG_STATE);
        this.queue = queue;
        this.wqes = queue == null ? null : queue.buffer();
    }

    @Override
    void gate(final int code) {
        super.gate(queue == null && (code == ReturnCode.OK || code == ReturnCode.WRONG_STATE)
            ? ReturnCode.HAS_SRQ : code);
    }

    int post(final long wrId, final long address, final int length, final int lkey) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            return write(wrId, address, length, lkey);
        } finally {
            leave();
        }
    }

    private int write(final long wrId, final long address, final int length, final int lkey) {
        if (length < 0) {
            return ReturnCode.INVALID_REQUEST;
        }
        final int code = queue.put(0, wrId, address, length, lkey);
        if (code < 0) {
            return notClaimed(code);
        }
        submit(1);
        return ReturnCode.OK;
    }

    @Override
    int enqueue(final ReceiveRequest request, final int ahead) {
        // Read once: what was checked is what is written, also if another thread changes the request meanwhile.
        final int count = request.sges().size();
        if (count > maxSge()) {
            return ReturnCode.TOO_MANY_SGES;
        }
        final int wqe = queue.claim(ahead, request.wrId(), count, request.sges().totalLength(count));
        if (wqe < 0) {
            return notClaimed(wqe);
        }
        writeElements(wqes, wqe + RqWqe.SGE_OFFSET, request.sges(), count);
        return ReturnCode.OK;
    }
}
