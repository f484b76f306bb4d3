/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.SendOpcode;

/** RDMA WRITEs into the other side's memory. */
final class WriteFlow implements Flow {
    private final FlowEnd from;
    private final FlowEnd to;
    private final int batch;
    private final boolean watched;

    /** Watched means that a thread of the other side waits for each message; otherwise nobody looks. */
    WriteFlow(final RdmaContext context, final Patience patience, final Shape shape, final boolean watched) {
        from = new FlowEnd(context, patience, shape);
        to = new FlowEnd(context, patience, shape);
        batch = shape.batch();
        this.watched = watched;
        FlowEnd.connect(from, to, SendOpcode.RDMA_WRITE);
        if (watched) {
            to.grant(shape.slots());
        } else {
            from.setUnlimited();
        }
    }

    @Override
    public void produce(final long count) {
        for (long n = 0; n < count; n += batch) {
            from.sendBatch();
        }
        from.finish();
        if (!watched) {
            to.check(from.sent());
        }
    }

    @Override
    public void consume(final long count) {
        if (watched) {
            to.watch(count);
        }
    }

    @Override
    public void close() {
        // Goes with its device.
    }
}
