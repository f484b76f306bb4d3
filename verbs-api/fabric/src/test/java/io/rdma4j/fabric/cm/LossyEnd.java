/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import java.util.Random;

import org.agrona.DirectBuffer;

/** A port of a device that loses and doubles some of what it sends. */
final class LossyEnd extends FilteredEnd {
    private final Random random;
    private final int lossPercent;

    LossyEnd(final UdEnd port, final long seed, final int lossPercent) {
        super(port);
        this.random = new Random(seed);
        this.lossPercent = lossPercent;
    }

    @Override
    public int send(
        final long gidHigh, final long gidLow, final int qpn, final int qkey, final DirectBuffer message,
        final int offset, final int length) {
        if (random.nextInt(100) < lossPercent) {
            return 0;
        }
        if (random.nextInt(100) < lossPercent) {
            super.send(gidHigh, gidLow, qpn, qkey, message, offset, length);
        }
        return super.send(gidHigh, gidLow, qpn, qkey, message, offset, length);
    }
}
