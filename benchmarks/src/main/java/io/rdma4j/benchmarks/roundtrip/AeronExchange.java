/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.roundtrip;

import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.logbuffer.FragmentHandler;
import io.rdma4j.benchmarks.harness.AeronNode;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Sizes;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A yardstick: messages of the same size through two streams of Aeron's IPC transport. */
final class AeronExchange implements Exchange {
    private static final int THERE = 1;
    private static final int BACK = 2;
    private static final int LIMIT = 1;

    private final AeronNode node = new AeronNode();
    private final Patience patience;
    private final UnsafeBuffer question = message();
    private final UnsafeBuffer answer = message();
    private ExclusivePublication there;
    private ExclusivePublication back;
    private Image questions;
    private Image answers;
    private long asked = -1;
    private long answered = -1;
    private final FragmentHandler onQuestion = (buffer, offset, length, header) -> asked = buffer.getLong(offset);
    private final FragmentHandler onAnswer = (buffer, offset, length, header) -> answered = buffer.getLong(offset);

    AeronExchange(final Patience patience) {
        this.patience = patience;
        try {
            there = node.publication(THERE);
            back = node.publication(BACK);
            questions = node.image(THERE);
            answers = node.image(BACK);
        } catch (final RuntimeException e) {
            node.close();
            throw e;
        }
    }

    private static UnsafeBuffer message() {
        return new UnsafeBuffer(ByteBuffer.allocateDirect(Sizes.MESSAGE));
    }

    @Override
    public void ping(final long n) {
        question.putLong(0, n);
        offer(there, question);
        while (answered != n) {
            answers.poll(onAnswer, LIMIT);
            patience.check();
        }
    }

    @Override
    public void pong(final long n) {
        while (asked != n) {
            questions.poll(onQuestion, LIMIT);
            patience.check();
        }
        answer.putLong(0, n);
        offer(back, answer);
    }

    private void offer(final ExclusivePublication stream, final UnsafeBuffer message) {
        while (stream.offer(message, 0, Sizes.MESSAGE) < 0) {
            patience.check();
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
