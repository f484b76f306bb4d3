/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.RdmaContext;

/** Messages between two reliable-datagram endpoints. */
final class RdmExchange implements Exchange {
    private final RdmEnd client;
    private final RdmEnd server;
    private final long toServer;
    private final long toClient;

    RdmExchange(final RdmaContext context, final Patience patience) {
        client = new RdmEnd(context, patience, RdmEnd.options());
        server = new RdmEnd(context, patience, RdmEnd.options());
        toServer = client.insert(server.address());
        toClient = server.insert(client.address());
    }

    @Override
    public void ping(final long n) {
        client.send(n, toServer);
        while (!client.took(n)) {
            // Without a pause, as all of them.
        }
    }

    @Override
    public void pong(final long n) {
        while (!server.took(n)) {
            // As above.
        }
        server.send(n, toClient);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
