/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.base.Cleanup;
import io.rdma4j.base.Undo;
import java.util.function.BooleanSupplier;

/**
 * The memory of a QP.
 *
 * @param rings   of both queues.
 * @param inlines of payloads that are copied when they are posted.
 */
record QpMemory(RingMemory rings, InlineMemory inlines) {
    static QpMemory allocate(final PvrdmaPd pd, final QpSizes sizes) {
        try (Undo undo = new Undo()) {
            final RingMemory rings = RingMemory.allocate(pd.context, sizes.pages());
            undo.addIfGood(rings::close);
            final InlineMemory inlines = InlineMemory.allocate(pd, sizes.sendWr(), sizes.inlineLength());
            undo.forget();
            return new QpMemory(rings, inlines);
        }
    }

    /** There was never a QP, or it is gone, and no thread of the application knows it. */
    void close() {
        close(() -> false);
    }

    /**
     * The QP is gone.
     *
     * @param inUse whether a thread that posts may still write here: it found the queue open before it closed.
     */
    void close(final BooleanSupplier inUse) {
        new Cleanup()
            .run(() -> rings.close(inUse))
            .run(inlines::deregister)
            .runIfGood(() -> inlines.close(inUse))
            .throwIfFailed();
    }
}
