/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

/** Answers each message with one of the same size. */
final class EchoPart implements Part {
    private final End end;
    private final Lane lane;
    private long answered;
    private long receivedBefore;

    EchoPart(final End end) {
        this.end = end;
        lane = end.lane();
    }

    @Override
    public void begin(final int bytes) {
        end.aim(bytes);
        answered = 0;
        receivedBefore = lane.received();
    }

    @Override
    public int step() {
        int work = end.pollReceives();
        if (lane.received() - receivedBefore > answered) {
            final int posted = lane.post(lane.posted() + 1);
            answered += posted;
            work += posted;
            lane.replenish();
        }
        return work + end.pollSends();
    }

    @Override
    public long done(final long awaited) {
        return answered;
    }
}
