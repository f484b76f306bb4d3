/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** Kinds of events (fi_eq), numbers of rdma/fi_eq.h. */
public enum FabricEvent {
    /** Of the application's own (FI_NOTIFY). */
    NOTIFY(0),
    /** Somebody wants to connect (FI_CONNREQ). */
    CONNREQ(1),
    /** A connection was made, or failed to be (FI_CONNECTED). */
    CONNECTED(2),
    /** The peer ended the connection (FI_SHUTDOWN). */
    SHUTDOWN(3),
    /** An asynchronous registration ended (FI_MR_COMPLETE). */
    MR_COMPLETE(4),
    /** An asynchronous insertion ended, or one of its addresses failed (FI_AV_COMPLETE). */
    AV_COMPLETE(5);

    private final int value;

    FabricEvent(final int value) {
        this.value = value;
    }

    /**
     * The value in libfabric's headers.
     *
     * @return a number.
     */
    public int value() {
        return value;
    }
}
