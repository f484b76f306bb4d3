/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** What one end does in each round trip. For one thread at a time; allocates nothing once it has met the peer. */
interface Turn {
    /** Whether the peer's move has come and the own one before is done with. */
    boolean isReady();

    /**
     * Takes what came and checks it.
     *
     * @param iteration number of the round trip.
     */
    void take(long iteration);

    /**
     * Makes the own move.
     *
     * @param iteration number of the round trip.
     */
    void move(long iteration);

    /** Tells a peer in another process that this one is still there, if the peer does not notice otherwise. */
    default void sayStillHere() {
        // A move says it.
    }

    /** Whether the peer said that there will be no more. */
    boolean isFarewell();
}
