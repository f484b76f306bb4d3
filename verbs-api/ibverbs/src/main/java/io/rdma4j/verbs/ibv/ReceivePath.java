/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.verbs.ReceiveRequest;
import io.rdma4j.verbs.ReturnCode;
import io.rdma4j.verbs.live.QpKind;
import org.agrona.concurrent.UnsafeBuffer;

/** Posting to a QP's own receive queue. */
final class ReceivePath extends PostPath<ReceiveRequest> {
    private final long qp;

    ReceivePath(final IbvContext context, final long qp, final int count, final int maxSge,
        final UnsafeBuffer counters) {
        super(context,
            count == 0 ? null : new PostedWork(count, counters, QpKind.RQ_POSTED, QpKind.RQ_RETIRED), maxSge,
            Abi.RecvWr.LENGTH,
            count == 0 ? ReturnCode.HAS_SRQ : ReturnCode.WRONG_STATE);
        this.qp = qp;
    }

    void gate(final int code) {
        gate.set(work == null && (code == ReturnCode.OK || code == ReturnCode.WRONG_STATE)
            ? ReturnCode.HAS_SRQ : code);
    }

    @Override
    int call(final long list, final long refused) {
        return context.calls.postRecv(qp, list, refused);
    }

    int post(final long wrId, final long address, final int length, final int lkey) {
        final int refusal = enter();
        if (refusal != ReturnCode.OK) {
            return refusal;
        }
        try {
            return length < 0 ? ReturnCode.INVALID_REQUEST : write(wrId, address, length, lkey);
        } finally {
            leave();
        }
    }

    private int write(final long wrId, final long address, final int length, final int lkey) {
        final long at = claim(wrId, length);
        if (at < 0) {
            return (int) at;
        }
        writeElement(at, address, length, lkey);
        commit(at);
        return Math.min(submit(), ReturnCode.OK);
    }

    @Override
    int enqueue(final ReceiveRequest request) {
        // Read once: what was checked is what is written, also if another thread changes the request meanwhile.
        final int count = request.sges().size();
        if (count > maxSge()) {
            return ReturnCode.TOO_MANY_SGES;
        }
        final long at = claim(request.wrId(), request.sges().totalLength(count));
        if (at < 0) {
            return (int) at;
        }
        writeElements(at, request.sges(), count);
        commit(at);
        return ReturnCode.OK;
    }
}
