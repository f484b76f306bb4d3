/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf.yardstick;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

/** The floor: one cache line that two threads write in turns. Odd numbers are questions, even ones answers. */
final class CacheLine implements RoundTrip {
    private static final int BATCH = 16;
    /** Nothing else is near. */
    private static final int ROOM = 512;
    private static final int PLACE = 256;

    private final UnsafeBuffer line = new UnsafeBuffer(ByteBuffer.allocateDirect(ROOM));
    private final Limit limit = new Limit("cache line");

    @Override
    public String name() {
        return "cache_line";
    }

    @Override
    public String title() {
        return "cache line bounced (F)";
    }

    @Override
    public int batch() {
        return BATCH;
    }

    @Override
    public void ping(final long n) {
        // Release meets the acquire of pong, and the other way round.
        line.putLongRelease(PLACE, 2 * n - 1);
        while (line.getLongAcquire(PLACE) != 2 * n) {
            limit.idle();
        }
        limit.progress();
    }

    @Override
    public boolean pong(final long n) {
        if (line.getLongAcquire(PLACE) != 2 * n - 1) {
            return false;
        }
        line.putLongRelease(PLACE, 2 * n);
        return true;
    }

    @Override
    public void close() {
        // Nothing is held.
    }
}
