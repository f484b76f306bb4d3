/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import org.agrona.concurrent.UnsafeBuffer;

/** Sends datagrams of the handshakes from a port. For one thread at a time. */
final class Mailer {
    private final UdEnd port;
    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[ConnectMessage.MAX_LENGTH]);

    Mailer(final UdEnd port) {
        this.port = port;
    }

    /** 0 or a negated errno, as {@link UdEnd#send}. */
    int send(final ConnectMessage message, final PeerId to) {
        final int length = message.encode(buffer);
        return port.send(to.gidHigh(), to.gidLow(), to.qpn(), to.qkey(), buffer, 0, length);
    }
}
