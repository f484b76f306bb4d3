/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import static io.rdma4j.hw.pvrdma.QpType.PVRDMA_QPT_RC;
import static io.rdma4j.hw.pvrdma.QpType.PVRDMA_QPT_UD;

import io.rdma4j.driver.live.LiveAttributes;
import io.rdma4j.driver.live.LiveCounters;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.queues.QueueTotals;
import io.rdma4j.verbs.QpAttributes;
import io.rdma4j.verbs.QpState;
import io.rdma4j.verbs.QpType;

/** What others see of a QP. */
final class QpDescription {
    private static final long NO_SRQ = -1;

    private QpDescription() {
    }

    /** The device's number of a type. */
    static int code(final QpType type) {
        return type == QpType.UD ? PVRDMA_QPT_UD : PVRDMA_QPT_RC;
    }

    static QueueTotals sendTotals(final LiveEntry entry) {
        return totals(entry, LiveCounters.Qp.SQ_POSTED, LiveCounters.Qp.SQ_RETIRED);
    }

    static QueueTotals receiveTotals(final LiveEntry entry) {
        return totals(entry, LiveCounters.Qp.RQ_POSTED, LiveCounters.Qp.RQ_RETIRED);
    }

    static QueueTotals sharedTotals(final LiveEntry entry) {
        return totals(entry, LiveCounters.Srq.RQ_POSTED, LiveCounters.Srq.RQ_TAKEN);
    }

    /** Behind the first place are those of doorbells and refusals. */
    private static QueueTotals totals(final LiveEntry entry, final int posted, final int retired) {
        return new QueueTotals(entry.counters(), posted * Long.BYTES, retired * Long.BYTES);
    }

    static void write(final LiveEntry entry, final QpResources resources, final int pd) {
        entry.set(LiveAttributes.Qp.QPN, resources.qpn())
            .set(LiveAttributes.Qp.TYPE, code(resources.type()))
            .set(LiveAttributes.Qp.PD, pd)
            .set(LiveAttributes.Qp.SEND_CQ, resources.sendCq().handle)
            .set(LiveAttributes.Qp.RECV_CQ, resources.receiveCq().handle)
            .set(LiveAttributes.Qp.SRQ, resources.srq() == null ? NO_SRQ : resources.srq().handle);
        writeRings(entry, resources.memory().rings(), resources.sizes());
    }

    private static void writeRings(final LiveEntry entry, final RingMemory rings, final QpSizes sizes) {
        entry.set(LiveAttributes.Qp.RING_IOVA, rings.iova())
            .set(LiveAttributes.Qp.RING_LENGTH, rings.length())
            .set(LiveAttributes.Qp.PDIR_DMA, rings.pdirDma())
            .set(LiveAttributes.Qp.SQ_OFFSET, sizes.sendOffset())
            .set(LiveAttributes.Qp.SQ_MAX_WR, sizes.sendWr())
            .set(LiveAttributes.Qp.SQ_MAX_SGE, sizes.sendSge())
            .set(LiveAttributes.Qp.RQ_OFFSET, sizes.receiveWr() == 0 ? 0 : sizes.receiveOffset())
            .set(LiveAttributes.Qp.RQ_MAX_WR, sizes.receiveWr())
            .set(LiveAttributes.Qp.RQ_MAX_SGE, sizes.receiveSge());
    }

    /** What changes in the life of a QP. */
    static void write(final LiveEntry entry, final QpState state, final QpAttributes known) {
        entry.set(LiveAttributes.Qp.STATE, state.ordinal())
            .set(LiveAttributes.Qp.DEST_QPN, known.destQpn())
            .set(LiveAttributes.Qp.PATH_MTU, known.pathMtu() == null ? 0 : known.pathMtu().code())
            .set(LiveAttributes.Qp.QKEY, known.qkey() & 0xffff_ffffL)
            .set(LiveAttributes.Qp.SQ_PSN, known.sqPsn())
            .set(LiveAttributes.Qp.RQ_PSN, known.rqPsn());
    }
}
