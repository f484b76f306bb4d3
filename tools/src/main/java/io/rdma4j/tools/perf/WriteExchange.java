/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import org.agrona.concurrent.UnsafeBuffer;

/** A WRITE there, and one back, seen by the last byte of the own memory. */
final class WriteExchange implements Exchange {
    private final End end;
    private final Lane lane;
    private final Patience patience;
    private final UnsafeBuffer incoming;
    private final UnsafeBuffer outgoing;
    private int last;

    WriteExchange(final End end, final Patience patience) {
        this.end = end;
        this.patience = patience;
        lane = end.lane();
        incoming = lane.incoming();
        outgoing = lane.outgoing();
    }

    @Override
    public void begin(final int bytes) {
        end.aim(bytes);
        last = bytes - 1;
        incoming.putByteVolatile(last, (byte) 0);
    }

    @Override
    public void turn(final long n) {
        final byte mark = MarkPart.mark(n + 1);
        outgoing.putByte(last, mark);
        lane.postOne(end, patience);
        while (incoming.getByteVolatile(last) != mark) {
            if (end.pollSends() == 0) {
                patience.idle();
            }
        }
    }
}
