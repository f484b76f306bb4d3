/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.FiAddr;
import io.rdma4j.fabric.cm.PeerId;

import io.rdma4j.fabric.endpoint.Rma;
import org.agrona.DirectBuffer;

/** A peer that was talked to: the link to it, or the one operation that waits for a link. */
final class Connection {
    final PeerId id;
    /** What the vector called it last. */
    long fiAddr = FiAddr.NOTAVAIL;
    /** Which of the addresses that had this name, when dialing was begun. */
    int life;
    /** The vector was told to look again where the peer is, since dialing was begun. */
    boolean asked;
    /** Why dialing came to nothing, while the vector still looks; 0 for not. */
    int failure;
    /** Null while there is none. */
    LinkEnd link;
    boolean isDialing;
    /** When dialing it was begun. */
    long since;
    /** What waits; null for none. */
    SendOp waiting;
    /** What waits, if that is RMA. */
    Rma rma;
    /** What waits, if that was injected. */
    DirectBuffer injected;
    /** For a context of the peer. */
    int rxIndex;
    /** Where it is found by the vector's number; -1 for nowhere. */
    int index = -1;
    /** Nothing is left of it: who knows it still has to ask anew. */
    boolean isForgotten;
    /** It is in the list of those that wait for a place. */
    boolean isRetrying;

    Connection(final PeerId id) {
        this.id = id;
    }

    /** What waits elsewhere waits here from now on. */
    void waitFor(final Connection other) {
        rma = other.rma;
        injected = other.injected;
        rxIndex = other.rxIndex;
        fiAddr = other.fiAddr;
        waiting = other.takeWaiting();
    }

    /** Nothing waits any more. */
    SendOp takeWaiting() {
        final SendOp op = waiting;
        waiting = null;
        rma = null;
        injected = null;
        return op;
    }

    @Override
    public String toString() {
        return "connection to " + id + ", " + (link == null ? isDialing ? "dialing" : "no link" : link)
            + (waiting == null ? "" : ", waits: " + waiting);
    }
}
