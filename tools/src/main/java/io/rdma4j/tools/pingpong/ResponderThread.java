/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import io.rdma4j.tools.thread.KeptThread;
import org.agrona.concurrent.IdleStrategy;

/** Runs the responder on a thread of its own until it is closed, and keeps what went wrong there. */
final class ResponderThread implements Answers {
    private final KeptThread thread;

    ResponderThread(final Responder responder, final IdleStrategy idle) {
        thread = new KeptThread("rdma4j-responder", goesOn -> {
            while (goesOn.getAsBoolean()) {
                idle.idle(responder.step());
            }
        });
    }

    @Override
    public int step() {
        // It steps by itself.
        return 0;
    }

    @Override
    public void rethrowFailure() {
        thread.rethrowFailure();
    }

    @Override
    public void close() {
        thread.close();
    }
}
