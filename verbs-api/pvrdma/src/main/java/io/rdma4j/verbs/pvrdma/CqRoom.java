/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;

/** The room that a QP has in one of its CQs. Guarded by its QP. */
final class CqRoom {
    private final PvrdmaCq cq;
    private final CqUse wanted;
    private CqUse held;
    /** Of the CQ: when all before it has been given back, the room that was taken last is there. */
    private long position;

    private CqRoom(final PvrdmaCq cq, final CqUse wanted) {
        this.cq = cq;
        this.wanted = wanted;
        this.held = wanted;
    }

    /** What a new QP has: room in one or two CQs. */
    static CqRoom[] of(final QpResources resources) {
        final CqRoom sends = new CqRoom(resources.sendCq(), resources.sendUse());
        return resources.sendCq() == resources.receiveCq() ? new CqRoom[] {sends}
            : new CqRoom[] {sends, new CqRoom(resources.receiveCq(), resources.receiveUse())};
    }

    /**
     * Takes the room once more, now that completions of a former life may lie in it. If it is not there, the QP keeps
     * the CQ, but no room: in RESET it needs none.
     *
     * @return whether {@link #await} has to follow: a poller still holds some of it.
     */
    boolean renew(final PvrdmaQp qp, final String operation) {
        final CqUse none = new CqUse(0, 0, null, false);
        none.user(qp);
        synchronized (cq) {
            cq.reserve(none, operation);
            cq.detach(held);
            held = none;
            try {
                position = cq.reserve(wanted, operation);
            } catch (final RdmaException e) {
                throw full(qp, operation, e);
            }
            cq.detach(none);
            held = wanted;
        }
        return !cq.isGivenBack(position);
    }

    /** Not under the lock of the QP, which a handler may want. Nobody else renews it meanwhile. */
    void await(final String operation) {
        cq.awaitGivenBack(position, operation);
    }

    private RdmaException full(final PvrdmaQp qp, final String operation, final RdmaException cause) {
        return RdmaException.of(operation)
            .device(qp.context.address())
            .object(qp)
            .detail("completions from before RESET still take room in %s, which could overflow", cq)
            .errno(RdmaException.EBUSY)
            .hint("poll the CQ first, until it is empty")
            .cause(cause)
            .build();
    }

    void giveBack() {
        cq.detach(held);
    }
}
