/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

import io.rdma4j.verbs.RdmaContext;
import org.agrona.concurrent.UnsafeBuffer;

/** The yardstick for long messages: copied by the thread itself, between the same kind of memory. */
final class CopyFlow implements Flow {
    private final UnsafeBuffer from;
    private final UnsafeBuffer to;
    private final Shape shape;
    private long copied;

    CopyFlow(final RdmaContext context, final Shape shape) {
        this.shape = shape;
        from = context.allocate(shape.bytes()).buffer();
        to = context.allocate(shape.bytes()).buffer();
    }

    @Override
    public void produce(final long count) {
        for (final long end = copied + count; copied < end; copied++) {
            from.putLong(shape.mark(copied), copied + 1);
            to.putBytes(shape.offset(copied), from, shape.offset(copied), shape.length());
        }
        if (to.getLong(shape.mark(copied - 1)) != copied) {
            throw new IllegalStateException("the last message is not there");
        }
    }

    @Override
    public void consume(final long count) {
        // The first thread does it all.
    }

    @Override
    public void close() {
        // Goes with its device.
    }
}
