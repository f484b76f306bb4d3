/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

import io.rdma4j.benchmarks.harness.Patience;
import java.nio.ByteBuffer;
import org.agrona.BitUtil;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** A yardstick: one of Agrona's rings, with room for twice as many messages as there are slots. */
final class RingFlow implements Flow {
    private static final int TYPE = 1;
    private static final int LIMIT = 32;

    private final Patience patience;
    private final Shape shape;
    private final UnsafeBuffer from;
    private final OneToOneRingBuffer ring;
    private long sent;
    private long received;
    private final MessageHandler onMessage = (type, buffer, index, length) -> take(
        buffer.getLong(index + length - Long.BYTES));

    RingFlow(final Patience patience, final Shape shape) {
        this.patience = patience;
        this.shape = shape;
        from = new UnsafeBuffer(ByteBuffer.allocateDirect(shape.bytes()));
        ring = new OneToOneRingBuffer(new UnsafeBuffer(ByteBuffer.allocateDirect(
            2 * BitUtil.findNextPositivePowerOfTwo(shape.bytes()) + RingBufferDescriptor.TRAILER_LENGTH)));
    }

    @Override
    public void produce(final long count) {
        for (final long end = sent + count; sent < end; sent++) {
            from.putLong(shape.mark(sent), sent + 1);
            while (!ring.write(TYPE, from, shape.offset(sent), shape.length())) {
                patience.check();
            }
        }
    }

    @Override
    public void consume(final long count) {
        final long end = received + count;
        while (received < end) {
            ring.read(onMessage, LIMIT);
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
        // Nothing is held.
    }
}
