/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.RdmaContext;

/** What this project is about: RC SENDs between two queue pairs of one device, each used by a thread of its own. */
final class SendExchange implements Exchange {
    private final Endpoint client;
    private final Endpoint server;

    SendExchange(final RdmaContext context, final Patience patience) {
        client = new Endpoint(context, patience);
        server = new Endpoint(context, patience);
        QpConnector.connect(client.queuePair(), server.queuePair().localAddress());
        QpConnector.connect(server.queuePair(), client.queuePair().localAddress());
        client.fillReceiveQueue();
        server.fillReceiveQueue();
    }

    @Override
    public void ping(final long n) {
        client.send(n);
        client.await(n);
    }

    @Override
    public void pong(final long n) {
        server.await(n);
        server.send(n);
    }

    @Override
    public void close() {
        // Goes with its device.
    }
}
