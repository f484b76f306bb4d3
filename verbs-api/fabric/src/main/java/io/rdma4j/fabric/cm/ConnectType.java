/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

/** Kinds of datagrams of the handshakes; on the wire 1 and following. */
enum ConnectType {
    /** Asks for a connection: has the name of the own end, and private data. */
    REQUEST,
    /** Accepts: likewise. */
    REPLY,
    /** The reply has come (MSG only: links of RDM have their first message for that). */
    READY,
    /** Refuses, with a reason and private data. */
    REJECT,
    /** The connection has ended, or is not known here. */
    BYE,
    /** The end has been heard of (MSG only). */
    BYE_SEEN;

    private static final ConnectType[] ALL = values();

    int code() {
        return ordinal() + 1;
    }

    /** Null if there is none. */
    static ConnectType of(final int code) {
        return code < 1 || code > ALL.length ? null : ALL[code - 1];
    }
}
