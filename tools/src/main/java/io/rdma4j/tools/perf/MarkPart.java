/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Answers each WRITE with one of the same size. That one came is seen by the last byte of the memory, as in perftest:
 * that a device writes the end of a message last is no law, but what all programs of this kind rely on.
 */
final class MarkPart implements Part {
    private final End end;
    private final Lane lane;
    private final UnsafeBuffer incoming;
    private final UnsafeBuffer outgoing;
    private int last;
    private long answered;

    MarkPart(final End end) {
        this.end = end;
        lane = end.lane();
        incoming = lane.incoming();
        outgoing = lane.outgoing();
    }

    /** The mark of message number n, from 1: neighbours differ, and the first is not what fresh memory holds. */
    static byte mark(final long n) {
        return (byte) n;
    }

    @Override
    public void begin(final int bytes) {
        end.aim(bytes);
        last = bytes - 1;
        answered = 0;
        incoming.putByteVolatile(last, (byte) 0);
    }

    @Override
    public int step() {
        int work = end.pollSends();
        // Volatile: whoever sees the mark sees the bytes before it.
        if (incoming.getByteVolatile(last) == mark(answered + 1)) {
            outgoing.putByte(last, mark(answered + 1));
            final int posted = lane.post(lane.posted() + 1);
            answered += posted;
            work += posted;
        }
        return work;
    }

    @Override
    public long done(final long awaited) {
        return answered;
    }
}
