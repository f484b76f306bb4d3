/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.cm.PeerId;

import org.agrona.DirectBuffer;

/** A peer that was talked to: the link to it, or the one operation that waits for a link. */
final class Connection {
    final PeerId id;
    /** What the vector called it last. */
    long fiAddr;
    /** Null while there is none. */
    LinkEnd link;
    boolean isDialing;
    /** When dialing it was begun. */
    long since;
    /** What waits; null for none. */
    SendOp waiting;
    /** What waits, if that is RMA. */
    RmaCall call;
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

    /** Nothing waits any more. */
    SendOp takeWaiting() {
        final SendOp op = waiting;
        waiting = null;
        call = null;
        injected = null;
        return op;
    }

    @Override
    public String toString() {
        return "connection to " + id + ", " + (link == null ? isDialing ? "dialing" : "no link" : link)
            + (waiting == null ? "" : ", waits: " + waiting);
    }
}
