/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;


import java.util.List;

/**
 * What one end does in each round trip of an operation. For one thread at a time; allocates nothing once it has met the
 * peer.
 */
interface Turn {
    /** The own memory that the peer has to reach. */
    List<RemoteMemory> lends();

    /** Pieces of memory that the peer has to lend. */
    int borrows();

    /** The peer is known and the QP takes receives: the last thing before both ends begin. */
    void meet(Peer peer);

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

    /** Tells a peer in another process that there will be no more. */
    void sayFarewell();

    /** Whether the peer said so. */
    boolean isFarewell();

    /** What has not come yet, for messages to people. */
    String waitingFor();
}
