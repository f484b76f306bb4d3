/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** The end that answers each move with one of its own. For one thread. */
final class Responder implements Responding {
    private final PingPongEnd end;
    private final Turn turn;
    private long iteration;

    Responder(final PingPongEnd end) {
        this.end = end;
        turn = end.turn();
    }

    @Override
    public int step() {
        final int work = end.poll();
        if (!turn.isReady()) {
            return work;
        }
        turn.take(iteration);
        turn.move(iteration);
        iteration++;
        return work + 1;
    }

    @Override
    public boolean isOver() {
        return turn.isFarewell();
    }

    @Override
    public long messages() {
        return iteration;
    }
}
