/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.time.Duration;

/** Events of the control path (fi_eq). Thread-safe. */
public interface EventQueue extends AutoCloseable {
    /**
     * Takes events, errors too, in order. With several threads that read, each event goes to one of them.
     *
     * @param reader told of each; an event at which it throws was taken all the same.
     * @param limit  at most so many, above 0.
     * @return how many were taken, 0 or more.
     * @throws FabricException FI_EINVAL for null or a limit below 1, FI_EBADFD if closed.
     */
    int read(EventReader reader, int limit);

    /**
     * As {@link #read}, waiting for the first one.
     *
     * @param reader  told of each.
     * @param limit   at most so many, above 0.
     * @param timeout longest wait.
     * @return how many were taken; 0 if none came in time or the queue was closed meanwhile.
     * @throws FabricException as {@link #read}.
     */
    int awaitRead(EventReader reader, int limit, Duration timeout);

    /**
     * Events that wait to be read.
     *
     * @return 0 or more.
     */
    int size();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes it; events that nobody read are dropped. Harmless when called again.
     *
     * @throws FabricException FI_EBUSY while a domain is bound to it that is open.
     */
    @Override
    void close();
}
