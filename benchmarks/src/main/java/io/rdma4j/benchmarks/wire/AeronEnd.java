/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.wire;

import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.logbuffer.FragmentHandler;
import io.rdma4j.benchmarks.harness.AeronNode;
import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.benchmarks.harness.Sizes;
import io.rdma4j.benchmarks.roundtrip.Exchange;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A yardstick: one process' end of two streams of Aeron's IPC transport. The one that pings has the driver. */
final class AeronEnd implements Exchange {
    private static final int THERE = 1;
    private static final int BACK = 2;
    private static final int LIMIT = 1;

    private final AeronNode node;
    private final Waiting waiting;
    private final UnsafeBuffer message = new UnsafeBuffer(ByteBuffer.allocateDirect(Sizes.MESSAGE));
    private final ExclusivePublication out;
    private final int inbound;
    private Image in;
    private long came = -1;
    private final FragmentHandler onMessage = (buffer, offset, length, header) -> came = buffer.getLong(offset);

    AeronEnd(final AeronNode node, final Patience patience, final boolean pings) {
        this.node = node;
        waiting = new Waiting(patience);
        out = node.publication(pings ? THERE : BACK);
        inbound = pings ? BACK : THERE;
    }

    /** Once both ends have their publications. */
    void subscribe() {
        in = node.image(inbound);
    }

    @Override
    public void ping(final long n) {
        send(n);
        await(n);
    }

    @Override
    public void pong(final long n) {
        await(n);
        send(n);
    }

    private void send(final long n) {
        message.putLong(0, n);
        while (out.offer(message, 0, Sizes.MESSAGE) < 0) {
            waiting.turn();
        }
    }

    private void await(final long n) {
        while (came != n) {
            in.poll(onMessage, LIMIT);
            waiting.turn();
        }
    }

    @Override
    public void close() {
        node.close();
    }
}
