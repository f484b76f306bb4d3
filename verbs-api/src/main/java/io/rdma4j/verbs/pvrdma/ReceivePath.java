/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.Sge;
import io.rdma4j.queues.ReceiveQueue;
import io.rdma4j.queues.WorkQueue;
import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.SgeList;
import org.agrona.concurrent.UnsafeBuffer;

/** Posting to a QP's own receive queue. One thread; its control fields may change meanwhile. */
final class ReceivePath {
    /** Null for a QP that takes its receives from a shared queue. */
    final ReceiveQueue queue;
    private final UnsafeBuffer wqes;
    private final PvrdmaCq cq;
    private final PvrdmaContext context;
    private final int maxSge;
    /** OK while requests are taken, else the code that refuses them. */
    private volatile int gate;
    private volatile boolean muted;

    ReceivePath(final ReceiveQueue queue, final PvrdmaCq cq) {
        this.queue = queue;
        this.wqes = queue == null ? null : queue.buffer();
        this.cq = cq;
        this.context = cq.context;
        this.maxSge = queue == null ? 0 : queue.maxSge();
        this.gate = queue == null ? ReturnCode.HAS_SRQ : ReturnCode.WRONG_STATE;
    }

    void gate(final int code) {
        gate = queue == null && (code == ReturnCode.OK || code == ReturnCode.WRONG_STATE) ? ReturnCode.HAS_SRQ : code;
    }

    /** The device would carry out what it should flush: it does not learn of further requests. */
    void muted(final boolean value) {
        muted = value;
    }

    int post(final long wrId, final long address, final int length, final int lkey) {
        final int refusal = gate;
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        if (length < 0) {
            return ReturnCode.INVALID_REQUEST;
        }
        final int wqe = queue.claim(wrId, length);
        if (wqe < 0) {
            return notClaimed(wqe);
        }
        RqWqe.numSge(wqes, wqe, 1);
        Sge.set(wqes, wqe + RqWqe.SGE_OFFSET, address, length, lkey);
        queue.commit();
        submit();
        return ReturnCode.OK;
    }

    int post(final ReceiveRequest request) {
        final int refusal = gate;
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        final int code = enqueue(request);
        if (code == ReturnCode.OK) {
            submit();
        }
        return code;
    }

    int post(final ReceiveRequest[] requests, final int count) {
        final int refusal = gate;
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        if (requests == null || count < 0 || count > requests.length) {
            return ReturnCode.INVALID_REQUEST;
        }
        int posted = 0;
        int code = ReturnCode.OK;
        while (posted < count && (code = enqueue(requests[posted])) == ReturnCode.OK) {
            posted++;
        }
        if (posted > 0) {
            submit();
        }
        return posted > 0 ? posted : code;
    }

    private int enqueue(final ReceiveRequest request) {
        if (request == null) {
            return ReturnCode.INVALID_REQUEST;
        }
        // Read once: what was checked is what is written, also if another thread changes the request meanwhile.
        final int count = request.sges().size();
        if (count > maxSge) {
            return ReturnCode.TOO_MANY_SGES;
        }
        final int wqe = queue.claim(request.wrId(), totalLength(request.sges(), count));
        if (wqe < 0) {
            return notClaimed(wqe);
        }
        write(wqes, wqe, request.sges(), count);
        queue.commit();
        return ReturnCode.OK;
    }

    private void submit() {
        queue.publish();
        if (muted) {
            cq.wake();
        } else {
            queue.ringDoorbell();
        }
    }

    private int notClaimed(final int code) {
        return code == WorkQueue.FULL ? ReturnCode.QUEUE_FULL : context.corruptIndex(queue);
    }

    /** Bytes of all elements, or the greatest number if that is too small. */
    static int totalLength(final SgeList sges, final int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += sges.length(i);
        }
        return (int) Math.min(sum, Integer.MAX_VALUE);
    }

    /** Writes the elements of a receive; the rest of the header is there already. */
    static void write(final UnsafeBuffer wqes, final int wqe, final SgeList sges, final int count) {
        RqWqe.numSge(wqes, wqe, count);
        for (int i = 0; i < count; i++) {
            Sge.set(wqes, RqWqe.sgeOffset(wqe, i), sges.address(i), sges.length(i), sges.lkey(i));
        }
    }
}
