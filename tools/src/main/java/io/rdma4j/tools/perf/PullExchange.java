/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

/** A READ or an atomic, which comes back by itself. */
final class PullExchange implements Exchange {
    private final End end;
    private final Lane lane;
    private final Patience patience;

    PullExchange(final End end, final Patience patience) {
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
        lane.postOne(end, patience);
        while (lane.completed() < lane.posted()) {
            if (end.pollSends() == 0) {
                patience.idle();
            }
        }
    }
}
