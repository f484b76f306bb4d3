/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.Gid;

import org.agrona.DirectBuffer;

/** A port of a device, to have something else happen when it sends. */
abstract class FilteredEnd implements UdEnd {
    private final UdEnd port;

    FilteredEnd(final UdEnd port) {
        this.port = port;
    }

    @Override
    public final Gid gid() {
        return port.gid();
    }

    @Override
    public final int qpn() {
        return port.qpn();
    }

    @Override
    public final int qkey() {
        return port.qkey();
    }

    @Override
    public int send(
        final long gidHigh, final long gidLow, final int qpn, final int qkey, final DirectBuffer message,
        final int offset, final int length) {
        return port.send(gidHigh, gidLow, qpn, qkey, message, offset, length);
    }

    @Override
    public final int poll(final UdHandler handler, final int limit) {
        return port.poll(handler, limit);
    }

    @Override
    public final CompletionQueue events() {
        return port.events();
    }

    @Override
    public final void close() {
        port.close();
    }
}
