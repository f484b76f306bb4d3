/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf.yardstick;

import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;

import java.nio.ByteBuffer;

/** Messages of 64 bytes through two of Agrona's rings. */
final class RingPair implements RoundTrip {
    private static final int CAPACITY = 1 << 16;
    private static final int LENGTH = 64;
    private static final int TYPE = 1;

    private final OneToOneRingBuffer there = ring();
    private final OneToOneRingBuffer back = ring();
    private final UnsafeBuffer question = new UnsafeBuffer(ByteBuffer.allocateDirect(LENGTH));
    private final UnsafeBuffer answer = new UnsafeBuffer(ByteBuffer.allocateDirect(LENGTH));
    private final Limit limit = new Limit("Agrona ring");
    private long asked;
    private long answered;
    private final MessageHandler onQuestion = (type, buffer, index, length) -> asked = buffer.getLong(index);
    private final MessageHandler onAnswer = (type, buffer, index, length) -> answered = buffer.getLong(index);

    private static OneToOneRingBuffer ring() {
        return new OneToOneRingBuffer(
            new UnsafeBuffer(ByteBuffer.allocateDirect(CAPACITY + RingBufferDescriptor.TRAILER_LENGTH)));
    }

    @Override
    public String name() {
        return "agrona_ring";
    }

    @Override
    public String title() {
        return "two Agrona rings, 64 bytes";
    }

    @Override
    public int batch() {
        return 1;
    }

    @Override
    public void ping(final long n) {
        question.putLong(0, n);
        // One message is under way at a time, so there is room.
        there.write(TYPE, question, 0, LENGTH);
        while (answered != n) {
            if (back.read(onAnswer, 1) == 0) {
                limit.idle();
            }
        }
        limit.progress();
    }

    @Override
    public boolean pong(final long n) {
        if (there.read(onQuestion, 1) == 0) {
            return false;
        }
        answer.putLong(0, asked);
        return back.write(TYPE, answer, 0, LENGTH);
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
