/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.soak;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A thread that makes garbage, some of which lives for a while, at a bounded rate. */
final class Garbage implements AutoCloseable {
    /** Some 32 MiB a second. */
    private static final int SIZE = 64 * 1024;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int LIVES = 64;

    private final byte[][] kept = new byte[LIVES][];
    private final Thread thread = new Thread(this::run, "soak-garbage");
    private volatile boolean closed;

    void begin() {
        thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        for (int i = 0; !closed; i++) {
            kept[i % LIVES] = new byte[SIZE];
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
