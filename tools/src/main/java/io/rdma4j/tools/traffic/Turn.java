/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.QpAddress;

import java.util.List;

/**
 * What one end does in each round trip of an operation. For one thread at a time; allocates nothing once it has met the
 * peer.
 */
interface Turn {
    /** The own memory that the peer has to reach. */
    default List<RemoteMemory> lends() {
        return List.of();
    }

    /** Pieces of memory that the peer has to lend. */
    default int borrows() {
        return 0;
    }

    /** The peer is known and the QP takes receives: the last thing before both ends begin. */
    void meet(QpAddress peer, List<RemoteMemory> memory);

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
