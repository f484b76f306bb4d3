/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import io.rdma4j.tools.thread.KeptThread;
import org.agrona.concurrent.IdleStrategy;

/** Where the end that answers is: on the thread that measures, on one of its own, or elsewhere. */
interface OtherEnd extends AutoCloseable {
    /** It is in another process, or has nothing to do. */
    OtherEnd ELSEWHERE = () -> 0;

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

    /** One on a thread of its own, without a deadline: the end that measures has one, and closes this. */
    static OtherEnd onItsThread(final String name, final Player end, final IdleStrategy idle) {
        final KeptThread thread = new KeptThread(name, goesOn -> {
            while (goesOn.getAsBoolean() && !end.isOver()) {
                idle.idle(end.step());
            }
        });
        return new OtherEnd() {
            @Override
            public int step() {
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
        };
    }
}
