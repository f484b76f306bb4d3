/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.RdmaContext;

/** RDMA READs of what the peer's thread has put there once: it has nothing to do, and nobody has. */
final class ReadExchange implements Exchange {
    private static final long CONTENT = 0x1234_5678_9abc_def0L;

    private final OneSided client;

    ReadExchange(final RdmaContext context, final Patience patience) {
        client = new OneSided(context, patience);
        final OneSided server = new OneSided(context, patience);
        OneSided.connect(client, server);
        server.lend(CONTENT);
    }

    @Override
    public void ping(final long n) {
        client.read(CONTENT);
    }

    @Override
    public void pong(final long n) {
        // The peer is passive.
    }

    @Override
    public void close() {
        // Goes with its device.
    }
}
