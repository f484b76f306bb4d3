/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.QpConnector;
import io.rdma4j.verbs.RdmaContext;

/** RC SENDs, with everything that can wait done while the message is under way. */
final class LeanSendExchange implements Exchange {
    private final LeanEndpoint client;
    private final LeanEndpoint server;

    LeanSendExchange(final RdmaContext context, final Patience patience) {
        client = new LeanEndpoint(context, patience);
        server = new LeanEndpoint(context, patience);
        QpConnector.connect(client.queuePair(), server.queuePair().localAddress());
        QpConnector.connect(server.queuePair(), client.queuePair().localAddress());
        client.fillReceiveQueue();
        server.fillReceiveQueue();
    }

    @Override
    public void ping(final long n) {
        client.send(n);
        client.tidy();
        client.await(n);
    }

    @Override
    public void pong(final long n) {
        server.await(n);
        server.send(n);
        server.tidy();
    }

    @Override
    public void close() {
        // Goes with its device.
    }
}
