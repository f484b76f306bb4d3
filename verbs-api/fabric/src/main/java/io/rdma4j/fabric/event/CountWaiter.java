/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import java.util.concurrent.locks.LockSupport;

/**
 * Who waits for a counter to reach something. Told once for each time it sleeps, by the first who counts so far.
 *
 * <p>Who counts adds, then looks at the waiters; who waits joins the waiters, then looks at the count: all volatile, so
 * that one of both sees the other.
 */
final class CountWaiter {
    private final Thread thread = Thread.currentThread();
    private final long threshold;
    private final long errorsBefore;
    private volatile boolean told;

    CountWaiter(final long threshold, final long errorsBefore) {
        this.threshold = threshold;
        this.errorsBefore = errorsBefore;
    }

    long threshold() {
        return threshold;
    }

    long errorsBefore() {
        return errorsBefore;
    }

    /** Before it looks at the count again: who counts from here on tells it again. */
    void looks() {
        told = false;
    }

    boolean isTold() {
        return told;
    }

    void tell() {
        told = true;
        LockSupport.unpark(thread);
    }
}
