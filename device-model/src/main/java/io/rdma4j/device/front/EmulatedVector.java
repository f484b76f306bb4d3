/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.front;

import io.rdma4j.driver.pci.InterruptVector;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/** One vector: a count of firings, and the thread that waits for the next. */
final class EmulatedVector implements InterruptVector {
    private final int index;
    private final LongSupplier service;
    private final AtomicLong fired = new AtomicLong();
    private final AtomicLong untaken = new AtomicLong();
    private volatile Thread waiter;
    private volatile boolean disabled;

    EmulatedVector(int index, LongSupplier service) {
        this.index = index;
        this.service = service;
    }

    void fire() {
        fired.incrementAndGet();
        untaken.incrementAndGet();
        LockSupport.unpark(waiter);
    }

    void wake() {
        LockSupport.unpark(waiter);
    }

    void disable() {
        disabled = true;
        LockSupport.unpark(waiter);
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public long poll() {
        return untaken.getAndSet(0);
    }

    @Override
    public long await(long timeoutNanos) {
        final long deadline = System.nanoTime() + timeoutNanos;
        long count = poll();
        waiter = Thread.currentThread();
        try {
            long left = timeoutNanos;
            while (count == 0 && left > 0 && !disabled && !Thread.currentThread().isInterrupted()) {
                final long next = service.getAsLong();
                if (untaken.get() == 0) {
                    LockSupport.parkNanos(this, Math.min(left, next));
                }
                count = poll();
                left = deadline - System.nanoTime();
            }
        } finally {
            waiter = null;
        }
        return count;
    }

    @Override
    public long fired() {
        return fired.get();
    }

    @Override
    public String toString() {
        return "vector " + index + " fired " + fired + " untaken " + untaken + (disabled ? " disabled" : "");
    }
}
