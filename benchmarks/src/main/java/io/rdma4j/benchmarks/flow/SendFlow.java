/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.RdmaContext;
import io.rdma4j.verbs.SendOpcode;

/** RC SENDs: a device brings them into receives of the other queue pair. */
final class SendFlow implements Flow {
    private final FlowEnd from;
    private final FlowEnd to;
    private final int batch;
    private final boolean alone;

    /** Alone means that one thread is at both ends, in turns of a batch. */
    SendFlow(final RdmaContext context, final Patience patience, final Shape shape, final boolean alone) {
        from = new FlowEnd(context, patience, shape);
        to = new FlowEnd(context, patience, shape);
        batch = shape.batch();
        this.alone = alone;
        FlowEnd.connect(from, to, SendOpcode.SEND);
        if (alone) {
            from.setUnlimited();
            to.setUnlimited();
        }
    }

    @Override
    public void produce(final long count) {
        for (long n = 0; n < count; n += batch) {
            from.sendBatch();
            if (alone) {
                to.receive(batch);
            }
        }
        from.finish();
    }

    @Override
    public void consume(final long count) {
        if (!alone) {
            to.receive(count);
        }
    }

    @Override
    public void close() {
        // Goes with its device.
    }
}
