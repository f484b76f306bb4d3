/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;

import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;

/** Runs the responder on a thread of its own until it is closed, and keeps what went wrong there. */
final class ResponderThread implements Answers {
    private static final long LONGEST_STOP_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final Responder responder;
    private final IdleStrategy idle;
    private final Thread thread;
    private volatile boolean stopped;
    private volatile Throwable failure;

    ResponderThread(final Responder responder, final IdleStrategy idle) {
        this.responder = responder;
        this.idle = idle;
        thread = new Thread(this::run, "rdma4j-responder");
        thread.setDaemon(true);
        thread.setUncaughtExceptionHandler((dead, thrown) -> failure = thrown);
        thread.start();
    }

    private void run() {
        while (!stopped) {
            idle.idle(responder.step());
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

    /** Stops the thread and waits for its end, so that its QP can be closed. */
    @Override
    public void close() {
        stopped = true;
        boolean interrupted = false;
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
