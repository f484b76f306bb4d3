/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.dump.walk;

import io.rdma4j.driver.live.LiveObject;
import io.rdma4j.hw.pvrdma.Cqe;
import io.rdma4j.hw.pvrdma.Pdir;
import io.rdma4j.hw.pvrdma.RingGeometry;
import io.rdma4j.hw.pvrdma.RingState;
import io.rdma4j.hw.pvrdma.RqWqe;
import io.rdma4j.hw.pvrdma.SqWqe;
import io.rdma4j.verbs.live.CqKind;
import io.rdma4j.verbs.live.QpKind;
import io.rdma4j.verbs.live.SrqKind;

/**
 * Where a ring is said to be.
 *
 * @param iova     of the memory that it shares with its state page, whose first page that is.
 * @param length   bytes of that memory.
 * @param state    offset of the ring's two indices in it: {@link RingState#TX_OFFSET} or {@link RingState#RX_OFFSET}.
 * @param elements offset of slot 0.
 * @param count    how many slots.
 * @param stride   bytes from one to the next; 0 if there cannot be such a ring.
 */
public record RingSpec(long iova, long length, int state, long elements, long count, int stride) {
    /** More slots than any device has; more would only be a long wait for a long list. */
    public static final int MAX_SLOTS = 1 << 20;
    /** Bytes of slots that are copied at once. */
    private static final long MAX_BYTES = 1L << 28;

    /**
     * The send queue of a QP.
     *
     * @param qp any.
     * @return where it should be.
     */
    public static RingSpec sq(final LiveObject qp) {
        final long sges = qp.attribute(QpKind.SQ_MAX_SGE);
        return new RingSpec(qp.attribute(QpKind.RING_IOVA), qp.attribute(QpKind.RING_LENGTH),
            RingState.TX_OFFSET, qp.attribute(QpKind.SQ_OFFSET), qp.attribute(QpKind.SQ_MAX_WR),
            sges < 0 || sges > SqWqe.MAX_SGE ? 0 : SqWqe.stride((int) sges));
    }

    /**
     * The receive queue of a QP.
     *
     * @param qp any that has one.
     * @return where it should be.
     */
    public static RingSpec rq(final LiveObject qp) {
        return new RingSpec(qp.attribute(QpKind.RING_IOVA), qp.attribute(QpKind.RING_LENGTH),
            RingState.RX_OFFSET, qp.attribute(QpKind.RQ_OFFSET), qp.attribute(QpKind.RQ_MAX_WR),
            rqStride(qp.attribute(QpKind.RQ_MAX_SGE)));
    }

    /**
     * A shared receive queue.
     *
     * @param srq any.
     * @return where it should be.
     */
    public static RingSpec srq(final LiveObject srq) {
        return new RingSpec(srq.attribute(SrqKind.RING_IOVA),
            srq.attribute(SrqKind.RING_LENGTH), RingState.RX_OFFSET,
            srq.attribute(SrqKind.RQ_OFFSET), srq.attribute(SrqKind.MAX_WR),
            rqStride(srq.attribute(SrqKind.MAX_SGE)));
    }

    /**
     * A completion queue.
     *
     * @param cq any.
     * @return where it should be.
     */
    public static RingSpec cq(final LiveObject cq) {
        return new RingSpec(cq.attribute(CqKind.RING_IOVA), cq.attribute(CqKind.RING_LENGTH),
            RingState.RX_OFFSET, cq.attribute(CqKind.CQES_OFFSET), cq.attribute(CqKind.CQE),
            Cqe.LENGTH);
    }

    private static int rqStride(final long sges) {
        return sges < 0 || sges > RqWqe.MAX_SGE ? 0 : RqWqe.stride((int) sges);
    }

    /**
     * Why there cannot be such a ring.
     *
     * @return a sentence, or null if there can.
     */
    public String objection() {
        if (iova == 0 || iova % Pdir.PAGE_SIZE != 0) {
            return String.format("ring_iova 0x%x: a ring begins at a page, and not at 0", iova);
        }
        if (stride == 0) {
            return "max_sge: no work request has so many entries";
        }
        if (count < 1 || count > MAX_SLOTS || Long.bitCount(count) != 1) {
            return String.format("%d slots: a ring has a power of two of them, at most %d", count, MAX_SLOTS);
        }
        return count * stride > MAX_BYTES || elements < RingGeometry.ELEMENTS_OFFSET || elements > length
            || count * stride > length - elements
            ? String.format("%d slots of %d bytes at offset %d: not in the %d bytes of the ring's memory", count,
                stride, elements, length) : null;
    }
}
