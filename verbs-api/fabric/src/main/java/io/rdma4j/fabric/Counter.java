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
     * Sets the failures (fi_cntr_seterr): who waits is woken up with -FI_EAVAIL, unless it is the number from before.
     *
     * @param value the new number.
     * @throws FabricException FI_EBADFD if closed.
     */
    void setError(long value);

    /**
     * Waits until the count is at least a threshold, or failures were counted. Completions are counted, and wake up who
     * waits, when a completion queue is read: by another thread, or by a {@link ProgressAgent}. What peers did to
     * regions the device counts in memory and wakes nobody up: a counter that regions are bound to is looked at again
     * after pauses of up to a millisecond.
     *
     * @param threshold unsigned.
     * @param timeout   longest wait.
     * @return 0; -FI_ETIMEDOUT, also if the thread was interrupted; -FI_EAVAIL if failures were counted meanwhile;
     *         -FI_EBADFD if closed; -FI_ENOSYS for a counter with {@link WaitObject#NONE}.
     * @throws FabricException FI_EINVAL for null.
     */
    int await(long threshold, Duration timeout);

    /**
     * Whether it is safe to wait for {@link #fd()} (fi_trywait): asks to be told of the next change. To be called
     * before each wait, by one thread.
     *
     * @return 0; -FI_EAGAIN if the count or the failures changed since it was called last: read first; -FI_ENOSYS
     *         without a descriptor; -FI_EBADFD if closed.
     */
    int tryWait();

    /**
     * Becomes readable when the count or the failures change after {@link #tryWait()} (FI_WAIT_FD), and is so until
     * the next call of it. The counter's: not to be read or closed.
     *
     * @return a file descriptor; -1 for counters without, and for closed ones.
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
     * Closes it. Harmless when called again. Regions that are bound to it are so no more. Who waits for it is woken up.
     *
     * @throws FabricException FI_EBUSY while it counts for endpoints that are open.
     */
    @Override
    void close();
}
