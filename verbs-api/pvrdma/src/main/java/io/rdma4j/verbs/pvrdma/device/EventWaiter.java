/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma.device;

import io.rdma4j.driver.pci.InterruptVector;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** Waits on a vector and its ring, with a deadline; polls the ring where there is no vector. Thread-safe. */
final class EventWaiter {
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long POLL_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private final ReentrantLock lock = new ReentrantLock();
    private final EventRing ring;
    private final BooleanSupplier stopped;
    private volatile InterruptVector vector;

    EventWaiter(final EventRing ring, final BooleanSupplier stopped) {
        this.ring = ring;
        this.stopped = stopped;
    }

    void vector(final InterruptVector newVector) {
        vector = newVector;
    }

    /** True if there is something in the ring or the vector fired; a vector has one waiter at a time. */
    boolean await(final long timeoutNanos) {
        final long deadline = System.nanoTime() + timeoutNanos;
        if (!acquire(timeoutNanos)) {
            return false;
        }
        try {
            boolean signaled = pollVector() || !ring.isEmpty();
            long left = deadline - System.nanoTime();
            while (!signaled && left > 0 && !stopped.getAsBoolean() && !Thread.currentThread().isInterrupted()) {
                signaled = waitOnce(left) || !ring.isEmpty();
                left = deadline - System.nanoTime();
            }
            return signaled;
        } finally {
            lock.unlock();
        }
    }

    private boolean acquire(final long timeoutNanos) {
        try {
            return lock.tryLock(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private boolean pollVector() {
        final InterruptVector current = vector;
        return current != null && current.poll() > 0;
    }

    /** In slices: a failed device fires nothing any more. */
    private boolean waitOnce(final long left) {
        final InterruptVector current = vector;
        if (current != null) {
            return current.await(Math.min(left, SLICE_NANOS)) > 0;
        }
        LockSupport.parkNanos(Math.min(left, POLL_NANOS));
        return false;
    }
}
