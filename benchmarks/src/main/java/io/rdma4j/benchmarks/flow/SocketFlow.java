/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.flow;

import io.rdma4j.benchmarks.harness.SocketPair;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A yardstick: one direction of a socket. */
final class SocketFlow implements Flow {
    private final SocketPair pair;
    private final Shape shape;
    private final ByteBuffer[] from;
    private final ByteBuffer[] to;
    private long sent;
    private long received;

    SocketFlow(final SocketPair pair, final Shape shape) {
        this.pair = pair;
        this.shape = shape;
        from = slots(shape);
        to = slots(shape);
    }

    private static ByteBuffer[] slots(final Shape shape) {
        final ByteBuffer all = ByteBuffer.allocateDirect(shape.bytes());
        final ByteBuffer[] slots = new ByteBuffer[shape.slots()];
        for (int slot = 0; slot < slots.length; slot++) {
            slots[slot] = all.slice(shape.offset(slot), shape.length()).order(ByteOrder.nativeOrder());
        }
        return slots;
    }

    @Override
    public void produce(final long count) {
        for (final long end = sent + count; sent < end; sent++) {
            final ByteBuffer message = from[shape.slot(sent)];
            message.putLong(shape.length() - Long.BYTES, sent + 1);
            pair.write(pair.client(), message);
        }
    }

    @Override
    public void consume(final long count) {
        for (final long end = received + count; received < end; received++) {
            final ByteBuffer message = to[shape.slot(received)];
            pair.read(pair.server(), message);
            final long number = message.getLong(shape.length() - Long.BYTES);
            if (number != received + 1) {
                throw new IllegalStateException("message " + number + " came instead of " + (received + 1));
            }
        }
    }

    @Override
    public void close() {
        pair.close();
    }
}
