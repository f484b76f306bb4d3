/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.verbs.RdmaContext;

/** An end with its part to play. */
final class Player {
    private final Endpoint end;
    private final Turn turn;

    /**
     * Sets an end up, with its QP ready to be connected.
     *
     * @param context     the device.
     * @param options     what is asked for.
     * @param repliesOnly whether this is the end that answers.
     */
    Player(final RdmaContext context, final PingPongOptions options, final boolean repliesOnly) {
        end = new Endpoint(context, options, repliesOnly);
        turn = options.operation().turn(end);
    }

    Endpoint end() {
        return end;
    }

    Turn turn() {
        return turn;
    }

    int qpNumber() {
        return end.qp().qpNumber();
    }

    /** What it is and what it waits for, for messages to people. */
    @Override
    public String toString() {
        return end + " waits for " + turn.waitingFor();
    }
}
