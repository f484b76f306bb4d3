/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Messages to and fro with ibv_rc_pingpong or ibv_ud_pingpong. Such a program has one buffer for what comes and for
 * what goes, so it sends back what it got: each message has to be the own one before it. Of its first message as a
 * client nothing is known but the length. There is no farewell: both have counted.
 */
final class IbverbsTurn extends SendTurn {
    /** Where the program looks with -c, and wants zeros: the first byte of each page. */
    private static final int PAGE = 4096;

    private final long last;
    private long moved;

    IbverbsTurn(final PingPongEnd end) {
        super(end);
        last = end.options().measured().iterations();
    }

    @Override
    public boolean isReady() {
        return end().hasMessage() && end().isIdle();
    }

    @Override
    public void move(final long iteration) {
        super.move(iteration);
        moved++;
    }

    @Override
    void fill(final long iteration) {
        super.fill(iteration);
        for (int at = 0; at < end().options().size(); at += PAGE) {
            outgoing().putByte(at, (byte) 0);
        }
    }

    @Override
    void check(final UnsafeBuffer message, final int from, final long iteration) {
        if (moved == 0) {
            return;
        }
        final UnsafeBuffer before = outgoing();
        for (int i = 0; i < end().options().size(); i++) {
            if (message.getByte(from + i) != before.getByte(i)) {
                throw end().corrupted(end().wayHere(), iteration,
                    "byte %d of %d is 0x%02x, the one that was sent before is 0x%02x", i, end().options().size(),
                    message.getByte(from + i) & 0xff, before.getByte(i) & 0xff);
            }
        }
    }

    @Override
    public void sayFarewell() {
        // It has all messages that it waits for.
    }

    @Override
    public boolean isFarewell() {
        return moved == last && end().isIdle();
    }
}
