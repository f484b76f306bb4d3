/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The completions of a QP that must not be seen any more, because the QP was closed or reset: those with its handle
 * that the device wrote before a certain place in the CQ. Removing them would need a lock against the poller, so the
 * poller passes over them; the place matters as the device may give the handle to a new QP.
 */
final class Purge {
    private static final VarHandle SKIPPED;

    static {
        try {
            SKIPPED = MethodHandles.lookup().findVarHandle(Purge.class, "skipped", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int handle;
    private final PvrdmaSrq srq;
    private final long end;
    /** CQEs before this position were passed over. */
    private volatile long skipped;

    /**
     * Everything from a QP before a place.
     *
     * @param qp  the QP.
     * @param end position of the first CQE that is not meant, counted from the CQ's beginning.
     */
    Purge(final PvrdmaQp qp, final long end) {
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

    /**
     * Passes over a CQE: its receive was used up all the same. Once each, as a poller may be at work while the CQ is
     * closed; both go through the queue in order.
     */
    void skip(final long position, final boolean receive) {
        long before;
        do {
            before = skipped;
            if (position < before) {
                return;
            }
        } while (!SKIPPED.compareAndSet(this, before, position + 1));
        if (receive && srq != null) {
            srq.queue.completed();
        }
    }
}
