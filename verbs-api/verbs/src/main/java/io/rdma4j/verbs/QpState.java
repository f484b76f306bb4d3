/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/** State of a QP, in the order of {@code enum ibv_qp_state}. */
public enum QpState {
    /** Made; takes no work. */
    RESET,
    /** Takes receives. */
    INIT,
    /** Receives messages. */
    RTR,
    /** Sends and receives. */
    RTS,
    /** Takes sends, works off those that are under way. */
    SQD,
    /** Send queue in error, receives go on. */
    SQE,
    /** Both queues are flushed. */
    ERR;

    /**
     * From the number on the wire.
     *
     * @param value 0 to 6.
     * @return the state.
     * @throws IllegalArgumentException for any other number.
     */
    public static QpState of(final int value) {
        if (value < 0 || value > 6) {
            throw new IllegalArgumentException("QP state is 0 to 6: " + value);
        }
        return values()[value];
    }
}
