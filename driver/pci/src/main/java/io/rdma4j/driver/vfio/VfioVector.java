/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.vfio;

import io.rdma4j.driver.libc.EventFd;
import io.rdma4j.driver.libc.Libc;
import io.rdma4j.driver.libc.LibcConstants;
import io.rdma4j.driver.libc.PollSet;
import io.rdma4j.driver.pci.InterruptVector;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.StampedLock;

/**
 * A vector whose firings the kernel counts in an eventfd.
 *
 * <p>Who reads that count takes it away from under a thread that is about to wait for it. So the count goes to
 * {@code untaken} first, and a second eventfd wakes the waiter then, and when the vector is disabled. Both are closed
 * when nobody uses them: users hold the lock for reading, waiting included.
 */
final class VfioVector implements InterruptVector {
    /** How long an interrupt of the thread may stay unnoticed: a system call does not see it. */
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final long sliceNanos;
    private final int index;
    private final EventFd irq;
    private final EventFd wake;
    private final PollSet pollSet = new PollSet(2);
    private final StampedLock open = new StampedLock();
    private final AtomicLong untaken = new AtomicLong();
    private final AtomicLong fired = new AtomicLong();
    private volatile boolean waiting;
    private volatile boolean disabled;

    VfioVector(final int index, final EventFd irq, final EventFd wake) {
        this(index, irq, wake, SLICE_NANOS);
    }

    VfioVector(final int index, final EventFd irq, final EventFd wake, final long sliceNanos) {
        this.sliceNanos = sliceNanos;
        this.index = index;
        this.irq = irq;
        this.wake = wake;
        pollSet.add(irq.fd(), LibcConstants.POLLIN);
        pollSet.add(wake.fd(), LibcConstants.POLLIN);
    }

    EventFd irq() {
        return irq;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public long poll() {
        final long stamp = open.readLock();
        try {
            collect();
            return untaken.getAndSet(0);
        } finally {
            open.unlockRead(stamp);
        }
    }

    @Override
    public long await(final long timeoutNanos) {
        final long deadline = System.nanoTime() + timeoutNanos;
        final long stamp = open.readLock();
        try {
            waiting = true;
            long count = take();
            long left = timeoutNanos;
            while (count == 0 && left > 0 && !disabled && !Thread.currentThread().isInterrupted()) {
                Libc.poll(pollSet, Math.min(left, sliceNanos));
                count = take();
                left = deadline - System.nanoTime();
            }
            return count;
        } finally {
            waiting = false;
            open.unlockRead(stamp);
        }
    }

    /** The waiter's: first the wake-ups, so that one which comes later ends the next wait. */
    private long take() {
        if (!disabled) {
            wake.read();
        }
        collect();
        return untaken.getAndSet(0);
    }

    private long collect() {
        final long count = disabled ? 0 : irq.read();
        add(count);
        return count;
    }

    private void add(final long count) {
        if (count > 0) {
            fired.addAndGet(count);
            untaken.addAndGet(count);
        }
    }

    @Override
    public long fired() {
        final long stamp = open.readLock();
        try {
            if (collect() > 0 && waiting) {
                wake.signal();
            }
            return fired.get();
        } finally {
            open.unlockRead(stamp);
        }
    }

    /** Ends waits and closes the eventfds; what fired and was not taken still can be. Harmless when called again. */
    synchronized void close() {
        if (disabled) {
            return;
        }
        disabled = true;
        wake.signal();
        final long stamp = open.writeLock();
        try {
            add(irq.read());
        } finally {
            irq.close();
            wake.close();
            open.unlockWrite(stamp);
        }
    }

    @Override
    public String toString() {
        return "vector " + index + " fired " + fired + " untaken " + untaken + (disabled ? " disabled" : "");
    }
}
