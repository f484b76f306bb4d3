/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

/** A message there, and one back. */
final class SendExchange implements Exchange {
    private final End end;
    private final Lane lane;
    private final Patience patience;

    SendExchange(final End end, final Patience patience) {
        this.end = end;
        this.patience = patience;
        lane = end.lane();
    }

    @Override
    public void begin(final int bytes) {
        end.aim(bytes);
    }

    @Override
    public void turn(final long n) {
        final long before = lane.received();
        lane.postOne(end, patience);
        while (lane.received() == before) {
            if (end.pollReceives() + end.pollSends() == 0) {
                patience.idle();
            }
        }
        lane.replenish();
    }
}
