/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Gid;

import java.util.Random;

import org.agrona.DirectBuffer;

/** A port of a device that loses and doubles some of what it sends. */
final class LossyEnd implements UdEnd {
    private final UdEnd port;
    private final Random random;
    private final int lossPercent;

    LossyEnd(final UdEnd port, final long seed, final int lossPercent) {
        this.port = port;
        this.random = new Random(seed);
        this.lossPercent = lossPercent;
    }

    @Override
    public Gid gid() {
        return port.gid();
    }

    @Override
    public int qpn() {
        return port.qpn();
    }

    @Override
    public int qkey() {
        return port.qkey();
    }

    @Override
    public int send(
        final long gidHigh, final long gidLow, final int qpn, final int qkey, final DirectBuffer message,
        final int offset, final int length) {
        if (random.nextInt(100) < lossPercent) {
            return 0;
        }
        if (random.nextInt(100) < lossPercent) {
            port.send(gidHigh, gidLow, qpn, qkey, message, offset, length);
        }
        return port.send(gidHigh, gidLow, qpn, qkey, message, offset, length);
    }

    @Override
    public int poll(final UdHandler handler, final int limit) {
        return port.poll(handler, limit);
    }

    @Override
    public CompletionQueue events() {
        return port.events();
    }

    @Override
    public void close() {
        port.close();
    }
}
