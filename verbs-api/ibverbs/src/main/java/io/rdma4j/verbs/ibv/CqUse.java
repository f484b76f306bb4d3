/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

/**
 * What a QP may complete into one of its CQs.
 *
 * @param cq       the queue.
 * @param sends    most sends.
 * @param receives most receives of its own.
 * @param srq      where its other receives come from, or null.
 * @param reserves whether room is kept for them.
 */
record CqUse(IbvCq cq, int sends, int receives, IbvSrq srq, boolean reserves) {
    static CqUse[] of(final IbvCq sendCq, final IbvCq receiveCq, final IbvSrq srq, final int sends,
        final int receives, final boolean reserves) {
        return sendCq == receiveCq ? new CqUse[] {new CqUse(sendCq, sends, receives, srq, reserves)}
            : new CqUse[] {new CqUse(sendCq, sends, 0, null, reserves),
                new CqUse(receiveCq, 0, receives, srq, reserves)};
    }

    // Two QPs of the same sizes are two uses.
    @Override
    public boolean equals(final Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public String toString() {
        return sends + " sends, " + receives + " receives" + (srq == null ? "" : " and those of " + srq);
    }
}
