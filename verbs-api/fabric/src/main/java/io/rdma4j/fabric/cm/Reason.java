/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cm;

import io.rdma4j.fabric.FiErrno;

/** Why somebody was refused, or a connection has ended; on the wire 0 and following. */
enum Reason {
    /** None is given. */
    NONE(FiErrno.FI_ECONNREFUSED, "it was refused"),
    /** The application said so. */
    APPLICATION(FiErrno.FI_ECONNREFUSED, "the peer's application refused it"),
    /** Another authorization key. */
    AUTHORIZATION(FiErrno.FI_ECONNREFUSED, "the peer has another authorization key"),
    /** Another version of the handshake. */
    VERSION(FiErrno.FI_ECONNREFUSED, "the peer speaks another version of the handshake"),
    /** It is another kind of endpoint. */
    KIND(FiErrno.FI_ECONNREFUSED, "the peer is another kind of endpoint"),
    /** Nobody listens. */
    CLOSED(FiErrno.FI_ECONNREFUSED, "nobody listens there"),
    /** No room now; it may be asked again. */
    BUSY(FiErrno.FI_ETIMEDOUT, "the peer had no room for one more connection"),
    /** One side's messages go in pieces. */
    PIECES(FiErrno.FI_ECONNREFUSED, "the messages of one side go in pieces, for FI_TAGGED or FI_MULTI_RECV: ask for "
        + "these capabilities on both sides, or on none");

    private static final Reason[] ALL = values();

    private final int errno;
    private final String text;

    Reason(final int errno, final String text) {
        this.errno = errno;
        this.text = text;
    }

    int errno() {
        return errno;
    }

    String text() {
        return text;
    }

    int code() {
        return ordinal();
    }

    /** Null if there is none. */
    static Reason of(final int code) {
        return code < 0 || code >= ALL.length ? null : ALL[code];
    }
}
