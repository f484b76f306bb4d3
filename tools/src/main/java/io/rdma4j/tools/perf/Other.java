/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.perf;

/** Where the other end is: on the thread that measures, on one of its own, or elsewhere. */
interface Other extends AutoCloseable {
    /** It is in another process. */
    Other ELSEWHERE = () -> 0;

    /**
     * Does what can be done now, for an end on the caller's thread.
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
