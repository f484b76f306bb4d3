/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.time.Duration;

/**
 * Counts (fi_cntr): what endpoints completed, see {@link EndpointOptions#counter}, and what peers did to regions, see
 * {@link MemoryRegion#bind(Counter)}. Operations that failed count as failures. Thread-safe.
 */
public interface Counter extends AutoCloseable {
    /**
     * The domain.
     *
     * @return the domain that it was opened from.
     */
    Domain domain();

    /**
     * The count.
     *
     * @return unsigned; what it counts happened before.
     */
    long read();

    /**
     * Failures that were counted.
     *
     * @return unsigned.
     */
    long readError();

    /**
     * Adds.
     *
     * @param value may be negative.
     * @throws FabricException FI_EBADFD if closed.
     */
    void add(long value);

    /**
     * Adds to the failures (fi_cntr_adderr): who waits is woken up with -FI_EAVAIL.
     *
     * @param value may be negative.
     * @throws FabricException FI_EBADFD if closed.
     */
    void addError(long value);

    /**
     * Sets.
     *
     * @param value the new count.
     * @throws FabricException FI_EBADFD if closed.
     */
    void set(long value);

    /**
     * Waits until the count is at least a threshold, or failures were counted. The device counts in memory and wakes
     * nobody up: after a short spin this looks again after pauses of up to a millisecond.
     *
     * @param threshold unsigned.
     * @param timeout   longest wait.
     * @return 0; -FI_ETIMEDOUT, also if the thread was interrupted; -FI_EAVAIL if failures were counted meanwhile;
     *         -FI_EBADFD if closed.
     * @throws FabricException FI_EINVAL for null.
     */
    int await(long threshold, Duration timeout);

    /**
     * Becomes readable when the count or the failures changed (FI_WAIT_FD). The counter's: not to be read or closed.
     *
     * @return a file descriptor; -1 for counters without.
     */
    int fd();

    /**
     * How threads wait for it.
     *
     * @return as it was opened with.
     */
    WaitObject waitObject();

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    boolean isClosed();

    /**
     * Closes it. Harmless when called again. Regions that are bound to it are so no more.
     */
    @Override
    void close();
}
