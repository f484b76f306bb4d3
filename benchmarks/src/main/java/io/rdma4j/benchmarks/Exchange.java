/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.benchmarks;

/** One kind of round trip between two threads. */
interface Exchange extends AutoCloseable {
    /** Client: sends message number n, counted from 0, and waits for its echo. */
    void ping(long n);

    /** Server: waits for message number n and echoes it. */
    void pong(long n);

    @Override
    void close();

    /** Asked in each turn of a waiting loop: the harness can end them all. */
    final class Patience {
        private volatile boolean exhausted;

        void exhaust() {
            exhausted = true;
        }

        void check() {
            if (exhausted) {
                throw new IllegalStateException("a round trip was given up: the other side did not answer in time");
            }
        }
    }
}
