/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks.roundtrip;

/** One kind of round trip between two threads. */
public interface Exchange extends AutoCloseable {
    /**
     * Client: sends message number n and waits for its echo.
     *
     * @param n counted from 0
     */
    void ping(long n);

    /**
     * Server: waits for message number n and echoes it.
     *
     * @param n counted from 0
     */
    void pong(long n);

    @Override
    void close();
}
