/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;


/** The end that answers each move with one of its own. For one thread. */
final class Responder {
    private final Player player;
    private long iteration;

    Responder(final Player player) {
        this.player = player;
    }

    /**
     * Does what can be done now.
     *
     * @return 0 if there was nothing.
     */
    int step() {
        final int work = player.end().poll();
        if (!player.turn().isReady()) {
            return work;
        }
        player.turn().take(iteration);
        player.turn().move(iteration);
        iteration++;
        return work + 1;
    }

    /** Moves answered. */
    long iteration() {
        return iteration;
    }

    Player player() {
        return player;
    }
}
