/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

/** What one QP wants of one CQ, and what a person calls the QP. */
final class CqUse {
    final int sends;
    final int receives;
    final PvrdmaSrq srq;
    final boolean reserves;
    private volatile Object user = "QP in the making";

    /**
     * A wish.
     *
     * @param sends    sends that can complete into the CQ.
     * @param receives receives of the QP's own that can.
     * @param srq      whose receives can, or null.
     * @param reserves whether room for all of them is reserved.
     */
    CqUse(final int sends, final int receives, final PvrdmaSrq srq, final boolean reserves) {
        this.sends = sends;
        this.receives = receives;
        this.srq = srq;
        this.reserves = reserves;
    }

    void user(final Object qp) {
        user = qp;
    }

    @Override
    public String toString() {
        return user.toString();
    }
}
