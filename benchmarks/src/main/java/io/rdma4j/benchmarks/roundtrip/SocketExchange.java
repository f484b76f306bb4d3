/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.benchmarks.harness.SocketPair;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;

/** A yardstick: messages of the same size through a socket. */
final class SocketExchange implements Exchange {
    private final SocketPair pair;
    private final ByteBuffer question = message();
    private final ByteBuffer answer = message();

    SocketExchange(final SocketPair pair) {
        this.pair = pair;
    }

    private static ByteBuffer message() {
        return ByteBuffer.allocateDirect(Sizes.MESSAGE).order(ByteOrder.nativeOrder());
    }

    @Override
    public void ping(final long n) {
        question.putLong(0, n);
        pair.write(pair.client(), question);
        expect(pair.client(), question, n);
    }

    @Override
    public void pong(final long n) {
        expect(pair.server(), answer, n);
        pair.write(pair.server(), answer);
    }

    private void expect(final SocketChannel end, final ByteBuffer message, final long n) {
        pair.read(end, message);
        if (message.getLong(0) != n) {
            throw new IllegalStateException("message " + message.getLong(0) + " came instead of " + n);
        }
    }

    @Override
    public void close() {
        pair.close();
    }
}
