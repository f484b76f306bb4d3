/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.roundtrip;

import io.rdma4j.benchmarks.harness.Patience;
import io.rdma4j.verbs.RdmaContext;

/** Makes those exchanges that other sections measure too. */
public final class RoundTrips {
    private RoundTrips() {
    }

    /**
     * The floor: a cache line that two threads write in turns.
     *
     * @param patience asked while waiting
     * @return a new exchange
     */
    public static Exchange cacheLine(final Patience patience) {
        return new CacheLineExchange(patience);
    }

    /**
     * Two of Agrona's one-to-one rings.
     *
     * @param patience asked while waiting
     * @return a new exchange
     */
    public static Exchange rings(final Patience patience) {
        return new RingPairExchange(patience);
    }

    /**
     * RC SENDs, with everything that can wait done later.
     *
     * @param context  a device, with which the exchange is closed
     * @param patience asked while waiting
     * @return a new exchange
     */
    public static Exchange send(final RdmaContext context, final Patience patience) {
        return new LeanSendExchange(context, patience);
    }

    /**
     * RDMA WRITEs into each other's memory, which is looked at.
     *
     * @param context  a device, with which the exchange is closed
     * @param patience asked while waiting
     * @return a new exchange
     */
    public static Exchange write(final RdmaContext context, final Patience patience) {
        return new WriteExchange(context, patience);
    }
}
