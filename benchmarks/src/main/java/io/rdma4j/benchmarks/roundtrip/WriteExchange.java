/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.RdmaContext;

/** RDMA WRITEs into each other's memory, at which each thread looks until the number that it waits for is there. */
final class WriteExchange implements Exchange {
    private final OneSided client;
    private final OneSided server;

    WriteExchange(final RdmaContext context, final Patience patience) {
        client = new OneSided(context, patience);
        server = new OneSided(context, patience);
        OneSided.connect(client, server);
    }

    @Override
    public void ping(final long n) {
        client.write(n + 1);
        client.await(n + 1);
    }

    @Override
    public void pong(final long n) {
        server.await(n + 1);
        server.write(n + 1);
    }

    @Override
    public void close() {
        // Goes with its device.
    }
}
