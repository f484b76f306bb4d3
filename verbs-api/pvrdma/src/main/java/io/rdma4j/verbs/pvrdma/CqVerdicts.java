/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.hw.pvrdma.WcOpcode;
import io.rdma4j.hw.pvrdma.WcStatus;
import io.rdma4j.queues.SequencedQueue;
import io.rdma4j.verbs.spi.MessageLength;

/** What becomes of a completion, and what a CQ says when it cannot do what it is asked for. */
final class CqVerdicts {
    private CqVerdicts() {
    }

    /**
     * Retires a request that failed. Where one that the device cannot even start completes at once, the older ones are
     * still to come.
     */
    static void retireFailed(
        final PvrdmaQp qp, final SequencedQueue queue, final long seq, final int status, final boolean receive) {
        if (receive) {
            receiveFailed(qp, queue.userWrId(seq), queue.length(seq), status);
        } else if (isFirst(qp, status)) {
            qp.explain(FailedSend.explain(qp, queue, seq, status));
        }
        if (qp.hidesUnsignaled) {
            queue.retireOne(seq);
        } else {
            queue.retireThrough(seq);
        }
    }

    private static boolean isFirst(final PvrdmaQp qp, final int status) {
        return status != WcStatus.PVRDMA_WC_WR_FLUSH_ERR && qp.failure() == null;
    }

    /** The room is that of the receive; of a shared one it is not known which it was, and that of the largest. */
    static void receiveFailed(final PvrdmaQp qp, final long wrId, final int room, final int status) {
        if (isFirst(qp, status)) {
            qp.explain(RdmaException.of("RECV").device(qp.context.address()).object(qp)
                .detail("wr_id 0x%x%s: %s", wrId, status != WcStatus.PVRDMA_WC_LOC_LEN_ERR ? ""
                    : qp.srq == null ? ", the message is longer than the " + room + " bytes of the receive"
                    : ", the message is longer than the receive, which has at most " + room + " bytes",
                    WcStatus.NAMES.of(status))
                .errno(RdmaException.EIO).build());
        }
    }

    /**
     * The status of a receive. One that claims more bytes than it had room for did not succeed, whatever the device
     * says: an application would read behind its buffer. A write with immediate data has its length from elsewhere.
     */
    static int judge(final int status, final int opcode, final int bytes, final int room) {
        return status == WcStatus.PVRDMA_WC_SUCCESS && !MessageLength.fits(bytes, room)
            && opcode != WcOpcode.PVRDMA_WC_RECV_RDMA_WITH_IMM ? WcStatus.PVRDMA_WC_LOC_LEN_ERR : status;
    }

    static RdmaException pollerStays(final PvrdmaCq cq, final String operation, final long millis) {
        return RdmaException.of(operation)
            .device(cq.context.address())
            .object(cq)
            .detail("a thread is in poll since %d ms", millis)
            .errno(RdmaException.EBUSY)
            .hint("do this from elsewhere than a completion handler, and have handlers return")
            .build();
    }

    static RdmaException noRoom(final PvrdmaCq cq, final String operation, final String objection) {
        return RdmaException.of(operation)
            .device(cq.context.address())
            .object(cq)
            .detail(objection)
            .errno(RdmaException.EINVAL)
            .hint("create a larger CQ, poll it, or promise with QpOptions.reserveCq(false) not to overflow it")
            .build();
    }
}
