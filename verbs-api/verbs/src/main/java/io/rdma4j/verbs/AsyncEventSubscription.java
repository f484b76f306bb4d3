/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

/**
 * A listener at work, see {@link RdmaContext#listen}. It ends by itself after the last event of a device that failed,
 * and when the context is closed. Thread-safe.
 */
public interface AsyncEventSubscription extends AutoCloseable {
    /**
     * Events that the listener was told of, and is through with: who sees the count sees what it did.
     *
     * @return a count that only grows.
     */
    long delivered();

    /**
     * Events at which the listener threw an exception. The first one is logged.
     *
     * @return a count that only grows.
     */
    long failures();

    /**
     * Whether the listener is told of nothing more.
     *
     * @return true after {@link #close()}, and when it ended by itself.
     */
    boolean isClosed();

    /**
     * Ends it: the listener is not called any more. Waits until it has returned, as long as a command to the device may
     * take; from the listener itself this returns at once. Harmless when called again.
     *
     * @throws io.rdma4j.RdmaException EBUSY if the listener has not returned in time. It is not called again all the
     *                                 same; another one can listen once it has returned.
     */
    @Override
    void close();
}
