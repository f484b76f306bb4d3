/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf.yardstick;

/** One kind of round trip between two threads. */
interface RoundTrip extends AutoCloseable {
    String name();

    String title();

    /** How many are timed together, where reading the clock takes about as long as one. */
    int batch();

    /** Sends message number n, counted from 1, and waits for its echo. */
    void ping(long n);

    /**
     * The other thread: echoes message number n if it is there, or waits for it for a while.
     *
     * @return false if it is not there.
     */
    boolean pong(long n);

    @Override
    void close();
}
