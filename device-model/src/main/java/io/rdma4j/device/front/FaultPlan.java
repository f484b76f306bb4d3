/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.hw.pvrdma.cmd.Command;

/**
 * Faults of the device that a test asks for, each once. Thread-safe.
 */
public final class FaultPlan {
    private boolean loseResponse;
    private boolean wrongKey;
    private boolean wrongAck;
    private Command failing;
    private int failure;

    /** No faults. */
    public FaultPlan() {
        // Nothing is planned yet.
    }

    /** The next response is not written and its interrupt does not come; the command is executed. */
    public synchronized void loseNextResponse() {
        loseResponse = true;
    }

    /** The next response carries another key than the request. */
    public synchronized void wrongKeyInNextResponse() {
        wrongKey = true;
    }

    /** The next response acknowledges another command. */
    public synchronized void wrongAckInNextResponse() {
        wrongAck = true;
    }

    /**
     * The next command is not executed but fails.
     *
     * @param err what the ERR register shows.
     */
    public synchronized void failNextCommand(int err) {
        failure = err;
        failing = null;
    }

    /**
     * The next command of a kind is not executed but fails.
     *
     * @param command which.
     * @param err     what the ERR register shows.
     */
    public synchronized void failNext(Command command, int err) {
        failure = err;
        failing = command;
    }

    synchronized boolean takeLoseResponse() {
        final boolean now = loseResponse;
        loseResponse = false;
        return now;
    }

    synchronized boolean takeWrongKey() {
        final boolean now = wrongKey;
        wrongKey = false;
        return now;
    }

    synchronized boolean takeWrongAck() {
        final boolean now = wrongAck;
        wrongAck = false;
        return now;
    }

    synchronized int takeFailure(Command command) {
        final int now = failing == null || failing == command ? failure : 0;
        if (now != 0) {
            failure = 0;
        }
        return now;
    }
}
