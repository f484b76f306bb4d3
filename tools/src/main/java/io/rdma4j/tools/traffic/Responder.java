/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import java.util.function.IntSupplier;

/** The end that answers each move with one of its own. For one thread. */
final class Responder implements Responding {
    private final IntSupplier poll;
    private final Turn turn;
    private long iteration;

    /**
     * Takes a part.
     *
     * @param poll looks for completions, and says how many there were.
     * @param turn what this end does in a round trip.
     */
    Responder(final IntSupplier poll, final Turn turn) {
        this.poll = poll;
        this.turn = turn;
    }

    @Override
    public int step() {
        final int work = poll.getAsInt();
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
