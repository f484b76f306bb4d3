/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.verbs.QpAddress;

import java.util.List;

/** What one end does in each round trip of an operation of a QP. */
interface QpTurn extends Turn {
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

    /** Tells a peer in another process that there will be no more. */
    void sayFarewell();

    /** What has not come yet, for messages to people. */
    String waitingFor();
}
