/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import io.rdma4j.tools.thread.KeptThread;

import java.util.function.BooleanSupplier;

/** Runs the end that answers on a thread of its own until it is closed, and keeps what went wrong there. */
final class ServerThread implements Other {
    private final Server server;
    private final KeptThread thread;

    ServerThread(final Server server) {
        this.server = server;
        thread = new KeptThread("rdma4j-perf-server", this::run);
    }

    /** Without a deadline: the end that measures has one, and closes this. */
    private void run(final BooleanSupplier goesOn) {
        int idle = 0;
        while (goesOn.getAsBoolean() && !server.isOver()) {
            idle = server.step() > 0 ? 0 : idle + 1;
            Patience.pause(idle);
        }
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
