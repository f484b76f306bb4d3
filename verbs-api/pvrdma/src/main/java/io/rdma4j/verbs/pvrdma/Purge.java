/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

/**
 * The completions of a QP that must not be seen any more, because the QP was closed or reset: those with its handle
 * that the device wrote before a certain place in the CQ. Removing them would need a lock against the poller, so the
 * poller passes over them; the place matters as the device may give the handle to a new QP.
 */
final class Purge {
    private final PvrdmaCq cq;
    private final int handle;
    private final PvrdmaSrq srq;
    private final long end;

    /**
     * Everything from a QP before a place.
     *
     * @param cq  where its completions are.
     * @param qp  the QP.
     * @param end position of the first CQE that is not meant, counted from the CQ's beginning.
     */
    Purge(final PvrdmaCq cq, final PvrdmaQp qp, final long end) {
        this.cq = cq;
        this.handle = qp.handle;
        this.srq = (PvrdmaSrq) qp.srq();
        this.end = end;
    }

    boolean covers(final int qpHandle, final long position) {
        return qpHandle == handle && position < end;
    }

    boolean isPast(final long position) {
        return position >= end;
    }

    /** Passes over a CQE: its receive was used up all the same, once, as a poller may be at work beside a close. */
    void skip(final long position, final boolean receive) {
        if (receive && srq != null && cq.takeShared(position)) {
            srq.queue.completed();
        }
    }
}
