/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.queues.SequencedQueue;
import io.rdma4j.verbs.CompletionHandler;

import java.nio.ByteBuffer;
import java.util.Arrays;

import org.agrona.concurrent.UnsafeBuffer;

/** The QPs of a CQ whose outstanding requests the driver completes, because the device does not. */
final class DriverFlush {
    private static final PvrdmaQp[] NONE = {};

    private final PvrdmaCq cq;
    private final CqeCompletion completion;
    /** Stands for the CQE of a completion that the driver makes. */
    private final UnsafeBuffer flushed = new UnsafeBuffer(ByteBuffer.allocateDirect(Cqe.LENGTH));
    private volatile PvrdmaQp[] qps = NONE;

    DriverFlush(final PvrdmaCq cq, final CqeCompletion completion) {
        this.cq = cq;
        this.completion = completion;
    }

    /** Adds a QP, unless it is there. */
    synchronized boolean add(final PvrdmaQp qp) {
        final boolean isNew = !Arrays.asList(qps).contains(qp);
        if (isNew) {
            final PvrdmaQp[] more = Arrays.copyOf(qps, qps.length + 1);
            more[qps.length] = qp;
            qps = more;
        }
        return isNew;
    }

    synchronized void remove(final PvrdmaQp qp) {
        final PvrdmaQp[] left = Arrays.stream(qps).filter(other -> other != qp).toArray(PvrdmaQp[]::new);
        qps = left.length == 0 ? NONE : left;
    }

    boolean isEmpty() {
        return qps == NONE;
    }

    /** Poller: hands over completions that the device does not make. */
    int flush(final CompletionHandler handler, final int limit) {
        int handed = 0;
        for (final PvrdmaQp qp : qps) {
            if (qp.sendCq == cq) {
                handed += flush(handler, limit - handed, qp, qp.sends.queue, WcOpcode.PVRDMA_WC_SEND);
            }
            if (qp.receiveCq == cq && qp.receives.queue != null) {
                handed += flush(handler, limit - handed, qp, qp.receives.queue, WcOpcode.PVRDMA_WC_RECV);
            }
        }
        return handed;
    }

    private int flush(final CompletionHandler handler, final int limit, final PvrdmaQp qp, final SequencedQueue queue,
        final int opcode) {
        int handed = 0;
        while (handed < limit && !qp.isClosed()) {
            final long seq = queue.oldestOutstanding();
            if (seq < 0) {
                break;
            }
            final long wrId = queue.userWrId(seq);
            queue.retireThrough(seq);
            handed++;
            cq.counts.failed(WcStatus.PVRDMA_WC_WR_FLUSH_ERR);
            handler.onCompletion(completion.wrap(flushed, 0, qp, wrId)
                .outcome(opcode, WcStatus.PVRDMA_WC_WR_FLUSH_ERR, 0));
        }
        return handed;
    }

    @Override
    public String toString() {
        return Arrays.toString(qps);
    }
}
