/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.verbs.QpOptions;
import io.rdma4j.verbs.spi.QpRanges;

/**
 * Sizes of a QP's queues as they are made, and where they lie: one page of ring states, the send queue's pages, the
 * receive queue's.
 *
 * @param sendWr     requests, a power of two.
 * @param receiveWr  requests, a power of two; 0 with a shared receive queue.
 * @param sendSge    elements of a send.
 * @param receiveSge elements of a receive; 0 with a shared receive queue.
 * @param inlineLength bytes of a payload that is copied, a power of two; 0 for none.
 */
record QpSizes(int sendWr, int receiveWr, int sendSge, int receiveSge, int inlineLength) {
    static QpSizes of(final QpOptions options, final PvrdmaContext context) {
        QpRanges.checkSizes(options, context);
        final int sendWr = RingGeometry.powerOfTwo(options.maxSendWr());
        final int inlineLength = InlineMemory.slotLength(options.maxInline());
        if (options.srq() != null) {
            return new QpSizes(sendWr, 0, options.maxSendSge(), 0, inlineLength);
        }
        return new QpSizes(sendWr, RingGeometry.powerOfTwo(options.maxReceiveWr()), options.maxSendSge(),
            options.maxReceiveSge(), inlineLength);
    }

    int sendPages() {
        return RingGeometry.sqPages(sendWr, sendSge);
    }

    int pages() {
        return RingGeometry.qpPages(sendPages(), receiveWr == 0 ? 0 : RingGeometry.rqPages(receiveWr, receiveSge));
    }

    int sendOffset() {
        return RingMemory.ELEMENTS_OFFSET;
    }

    int receiveOffset() {
        return RingMemory.ELEMENTS_OFFSET * (1 + sendPages());
    }

    /** Bytes of a send WQE, for people. */
    int sendStride() {
        return SqWqe.stride(sendSge);
    }
}
