/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.hw.pvrdma.QpType.PVRDMA_QPT_RC;
import static io.rdma4j.hw.pvrdma.QpType.PVRDMA_QPT_UD;

import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.queues.QueueTotals;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;

/** What others see of a QP. */
final class QpDescription {
    private static final long NONE = -1;

    private QpDescription() {
    }

    /** The device's number of a type. */
    static int code(final QpType type) {
        return type == QpType.UD ? PVRDMA_QPT_UD : PVRDMA_QPT_RC;
    }

    static QueueTotals sendTotals(final LiveEntry entry) {
        return totals(entry, QpKind.SQ_POSTED, QpKind.SQ_RETIRED);
    }

    static QueueTotals receiveTotals(final LiveEntry entry) {
        return totals(entry, QpKind.RQ_POSTED, QpKind.RQ_RETIRED);
    }

    static QueueTotals sharedTotals(final LiveEntry entry) {
        return totals(entry, SrqKind.RQ_POSTED, SrqKind.RQ_TAKEN);
    }

    /** Behind the first place are those of doorbells and refusals. */
    private static QueueTotals totals(final LiveEntry entry, final int posted, final int retired) {
        return new QueueTotals(entry.counters(), posted * Long.BYTES, retired * Long.BYTES);
    }

    static void write(final LiveEntry entry, final QpResources resources, final int pd) {
        entry.set(QpKind.QPN, resources.qpn())
            .set(QpKind.TYPE, code(resources.type()))
            .set(QpKind.PD, pd)
            .set(QpKind.SEND_CQ, resources.sendCq().handle)
            .set(QpKind.RECV_CQ, resources.receiveCq().handle)
            .set(QpKind.SRQ, resources.srq() == null ? NONE : resources.srq().handle)
            .set(QpKind.INLINE_LKEY, inlineLkey(resources.memory().inlines().slots()));
        writeRings(entry, resources.memory().rings(), resources.sizes());
    }

    private static long inlineLkey(final InlineSlots inlines) {
        return inlines.length() == 0 ? NONE : Integer.toUnsignedLong(inlines.lkey());
    }

    private static void writeRings(final LiveEntry entry, final RingMemory rings, final QpSizes sizes) {
        entry.set(QpKind.RING_IOVA, rings.iova())
            .set(QpKind.RING_LENGTH, rings.length())
            .set(QpKind.PDIR_DMA, rings.pdirDma())
            .set(QpKind.SQ_OFFSET, sizes.sendOffset())
            .set(QpKind.SQ_MAX_WR, sizes.sendWr())
            .set(QpKind.SQ_MAX_SGE, sizes.sendSge())
            .set(QpKind.RQ_OFFSET, sizes.receiveWr() == 0 ? 0 : sizes.receiveOffset())
            .set(QpKind.RQ_MAX_WR, sizes.receiveWr())
            .set(QpKind.RQ_MAX_SGE, sizes.receiveSge());
    }

    /** What changes in the life of a QP. */
    static void write(final LiveEntry entry, final QpState state, final QpAttributes known) {
        entry.set(QpKind.STATE, state.ordinal())
            .set(QpKind.DEST_QPN, known.destQpn())
            .set(QpKind.PATH_MTU, known.pathMtu() == null ? 0 : known.pathMtu().code())
            .set(QpKind.QKEY, known.qkey() & 0xffff_ffffL)
            .set(QpKind.SQ_PSN, known.sqPsn())
            .set(QpKind.RQ_PSN, known.rqPsn());
    }
}
