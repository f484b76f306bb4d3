/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

/** Takes messages, and makes room for more. */
final class SinkPart implements Part {
    private final End end;
    private final Lane[] lanes;
    private long receivedBefore;

    SinkPart(final End end) {
        this.end = end;
        lanes = end.lanes().toArray(Lane[]::new);
    }

    @Override
    public void begin(final int bytes) {
        end.aim(bytes);
        receivedBefore = end.received();
    }

    @Override
    public int step() {
        final int came = end.pollReceives();
        if (came > 0) {
            for (final Lane lane : lanes) {
                lane.replenish();
            }
        }
        return came;
    }

    @Override
    public long done(final long awaited) {
        return end.received() - receivedBefore;
    }
}
