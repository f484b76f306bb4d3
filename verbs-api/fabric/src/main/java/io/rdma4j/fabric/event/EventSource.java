/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

/**
 * Something that reading an event queue makes progress of, such as a connection that is being made. One thread at a
 * time progresses a source, without a lock of the queue.
 */
public interface EventSource {
    /** Does what is to be done now, and writes what came of it to the queue. Does not wait. */
    void progress();

    /**
     * How long a thread that waits for events may sleep before {@link #progress} is to be called again. If that grows
     * shorter without {@link #progress}, or there is something to do, the source calls {@link FabricEventQueue#wake}.
     *
     * @return 0 or more; {@link Long#MAX_VALUE} if there is nothing that only time brings.
     */
    long idleNanos();
}
