/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

/** What the end that begins does alone, with the memory that its peer lends: it asks, and the device answers. */
abstract class AloneTurn implements QpTurn {
    private final PingPongEnd end;
    private final SignalMessages words;

    AloneTurn(final PingPongEnd end) {
        this.end = end;
        words = new SignalMessages(end);
    }

    PingPongEnd end() {
        return end;
    }

    @Override
    public boolean isReady() {
        return end.isIdle();
    }

    @Override
    public void sayStillHere() {
        words.sayStillHere();
    }

    @Override
    public void sayFarewell() {
        words.sayFarewell();
    }

    @Override
    public boolean isFarewell() {
        return false;
    }

    @Override
    public String waitingFor() {
        return end.waitingFor(false);
    }
}
