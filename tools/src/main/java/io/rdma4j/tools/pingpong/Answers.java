/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.pingpong;


/** Where the other end plays: on the thread that begins, on one of its own, or elsewhere. */
@FunctionalInterface
interface Answers extends AutoCloseable {
    /** The peer is in another process, or has nothing to do. */
    Answers NONE_HERE = () -> 0;

    /**
     * Does what can be done now, for answers on the caller's thread.
     *
     * @return 0 if there was nothing.
     */
    int step();

    /** Throws on the calling thread what the other end failed with on its own. */
    default void rethrowFailure() {
        // On the caller's thread it was thrown already.
    }

    @Override
    default void close() {
        // Nothing runs.
    }
}
