/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Sizes;
import java.nio.ByteBuffer;
import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

/** A yardstick: messages of the same size through two of Agrona's rings. */
final class RingPairExchange implements Exchange {
    private static final int CAPACITY = 1 << 16;
    private static final int TYPE = 1;

    private final OneToOneRingBuffer there = ring();
    private final OneToOneRingBuffer back = ring();
    private final UnsafeBuffer question = message();
    private final UnsafeBuffer answer = message();
    private final Patience patience;
    private long asked = -1;
    private long answered = -1;
    private final MessageHandler onQuestion = (type, buffer, index, length) -> asked = buffer.getLong(index);
    private final MessageHandler onAnswer = (type, buffer, index, length) -> answered = buffer.getLong(index);

    RingPairExchange(final Patience patience) {
        this.patience = patience;
    }

    private static OneToOneRingBuffer ring() {
        return new OneToOneRingBuffer(
            new UnsafeBuffer(ByteBuffer.allocateDirect(CAPACITY + RingBufferDescriptor.TRAILER_LENGTH)));
    }

    private static UnsafeBuffer message() {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(Sizes.MESSAGE));
    }

    @Override
    public void ping(final long n) {
        question.putLong(0, n);
        write(there, question);
        while (answered != n) {
            back.read(onAnswer, 1);
            patience.check();
        }
    }

    @Override
    public void pong(final long n) {
        while (asked != n) {
            there.read(onQuestion, 1);
            patience.check();
        }
        answer.putLong(0, n);
        write(back, answer);
    }

    private void write(final OneToOneRingBuffer ring, final UnsafeBuffer message) {
        while (!ring.write(TYPE, message, 0, Sizes.MESSAGE)) {
            patience.check();
        }
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
