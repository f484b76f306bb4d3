/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.RdmaContext;

/** The same as {@link SendExchange} and {@link WriteExchange} through the fabric interfaces. */
final class FabricExchange implements Exchange {
    private final FabricEnd client;
    private final FabricEnd server;
    private final boolean writes;

    FabricExchange(
        final RdmaContext context, final Patience patience, final boolean writes, final boolean applicationKeys) {
        this.writes = writes;
        client = new FabricEnd(context, patience, applicationKeys);
        server = new FabricEnd(context, patience, applicationKeys);
        FabricEnd.connect(client, server);
    }

    @Override
    public void ping(final long n) {
        if (writes) {
            client.write(n + 1);
            client.awaitMemory(n + 1);
        } else {
            client.send(n);
            client.awaitMessage(n);
        }
    }

    @Override
    public void pong(final long n) {
        if (writes) {
            server.awaitMemory(n + 1);
            server.write(n + 1);
        } else {
            server.awaitMessage(n);
            server.send(n);
        }
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
