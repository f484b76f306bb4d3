/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.logbuffer.FragmentHandler;
import io.rdma4j.benchmarks.harness.AeronNode;
import io.rdma4j.benchmarks.harness.Patience;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A yardstick: one stream of Aeron's IPC transport, for messages that need no fragments. */
final class AeronFlow implements Flow {
    private static final int STREAM = 1;
    private static final int LIMIT = 32;

    private final AeronNode node = new AeronNode();
    private final Patience patience;
    private final Shape shape;
    private final UnsafeBuffer from;
    private ExclusivePublication there;
    private Image image;
    private long sent;
    private long received;
    private final FragmentHandler onMessage = (buffer, offset, length, header) -> take(
        buffer.getLong(offset + length - Long.BYTES));

    AeronFlow(final Patience patience, final Shape shape) {
        this.patience = patience;
        this.shape = shape;
        from = new UnsafeBuffer(ByteBuffer.allocateDirect(shape.bytes()));
        try {
            there = node.publication(STREAM);
            image = node.image(STREAM);
        } catch (final RuntimeException e) {
            node.close();
            throw e;
        }
    }

    @Override
    public void produce(final long count) {
        for (final long end = sent + count; sent < end; sent++) {
            from.putLong(shape.mark(sent), sent + 1);
            while (there.offer(from, shape.offset(sent), shape.length()) < 0) {
                patience.check();
            }
        }
    }

    @Override
    public void consume(final long count) {
        final long end = received + count;
        while (received < end) {
            image.poll(onMessage, LIMIT);
            patience.check();
        }
    }

    private void take(final long number) {
        received++;
        if (number != received) {
            throw new IllegalStateException("message " + number + " came instead of " + received);
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
