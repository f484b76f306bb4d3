/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** The floor: one cache line that two threads write in turns. Nothing that passes data can be faster. */
final class CacheLineExchange implements Exchange {
    private static final int PAIR_OF_LINES = 128;

    private final UnsafeBuffer line =
        new UnsafeBuffer(ByteBuffer.allocateDirect(3 * PAIR_OF_LINES).alignedSlice(PAIR_OF_LINES));
    private final Patience patience;

    CacheLineExchange(final Patience patience) {
        this.patience = patience;
    }

    @Override
    public void ping(final long n) {
        line.putLongRelease(0, 2 * n + 1);
        await(2 * n + 2);
    }

    @Override
    public void pong(final long n) {
        await(2 * n + 1);
        line.putLongRelease(0, 2 * n + 2);
    }

    private void await(final long value) {
        while (line.getLongAcquire(0) != value) {
            patience.check();
        }
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
