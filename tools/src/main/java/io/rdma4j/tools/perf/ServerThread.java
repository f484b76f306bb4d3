/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

import java.util.concurrent.TimeUnit;

/** Runs the end that answers on a thread of its own until it is closed, and keeps what went wrong there. */
final class ServerThread implements Other {
    private static final long LONGEST_STOP_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final Server server;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile Throwable failure;

    ServerThread(final Server server) {
        this.server = server;
        thread = new Thread(this::run, "rdma4j-perf-server");
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((dead, thrown) -> failure = thrown);
        thread.start();
    }

    /** Without a deadline: the end that measures has one, and closes this. */
    private void run() {
        int idle = 0;
        while (!stopped && !server.isOver()) {
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
        final Throwable thrown = failure;
        if (thrown instanceof Error) {
            throw (Error) thrown;
        }
        if (thrown != null) {
            throw (RuntimeException) thrown;
        }
    }

    /** Stops the thread and waits for its end, so that its QPs can be closed. */
    @Override
    public void close() {
        stopped = true;
        boolean interrupted = Thread.interrupted();
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONGEST_STOP_MILLIS);
        while (thread.isAlive() && System.nanoTime() < deadline) {
            try {
                thread.join(LONGEST_STOP_MILLIS);
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
