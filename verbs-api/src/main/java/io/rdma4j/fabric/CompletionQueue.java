/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.time.Duration;

/**
 * Where operations of endpoints complete (fi_cq). Reading it makes progress of its endpoints: keys are looked up,
 * broken RMA lanes are mended. One thread at a time reads.
 *
 * <p>It cannot overrun: it grows with the endpoints that are opened on it, where the device can do that; else opening
 * one is refused when there is no room for all that it may have under way. It says -FI_EIO once the device failed.
 */
public interface CompletionQueue extends AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that it was opened from.
     */
    Domain domain();

    /**
     * Takes completions, those of failed operations too, in order. Does not allocate, but for an endpoint's table of
     * the peer's keys, which doubles a few times up to 4096 places.
     *
     * @param reader told of each.
     * @param limit  at most so many; 0 makes progress only.
     * @return how many were taken, 0 or more; or a negated errno: -FI_EBADFD, -FI_EINVAL, -FI_EIO.
     */
    int read(CompletionReader reader, int limit);

    /**
     * As {@link #read}, waiting for the first one.
     *
     * @param reader  told of each.
     * @param limit   at most so many, above 0.
     * @param timeout longest wait.
     * @return how many were taken; -FI_EAGAIN if none came in time, or a negated errno.
     */
    int awaitRead(CompletionReader reader, int limit, Duration timeout);

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes it. Harmless when called again.
     *
     * @throws FabricException FI_EBUSY while endpoints are bound to it.
     */
    @Override
    void close();
}
