/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

/** One userfaultfd, or something like it. All but {@link #stop} and {@link #changing} are for one thread at a time. */
interface UserfaultKernel extends AutoCloseable {
    /**
     * Waits until there is something to read.
     *
     * @return false when the time is over, and earlier for a signal or {@link #stop}
     */
    boolean await(long nanos);

    /** Takes what is there, without waiting. Allocates nothing. */
    void read(UserfaultEvents events);

    /** Begins to tell of changes in whole pages; 0, or the errno. What is registered already stays so. */
    int register(long from, long to);

    /** Tells no longer; 0, or the errno. */
    int unregister(long from, long to);

    /** Whether a change is under way that has not been taken. */
    boolean changing();

    /** Ends the waiting, now and for the future. */
    void stop();

    /** Releases whoever waits for events to be taken, and everything else. */
    @Override
    void close();
}
