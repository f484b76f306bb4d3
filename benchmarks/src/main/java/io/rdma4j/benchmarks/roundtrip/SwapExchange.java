/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.RdmaContext;

/** Compare-and-swaps of a word of the peer's, each of which counts it up by one. */
final class SwapExchange implements Exchange {
    private final OneSided client;

    SwapExchange(final RdmaContext context, final Patience patience) {
        client = new OneSided(context, patience);
        OneSided.connect(client, new OneSided(context, patience));
    }

    @Override
    public void ping(final long n) {
        client.compareAndSwap(n, n + 1);
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
