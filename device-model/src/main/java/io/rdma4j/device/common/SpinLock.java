/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.common;

import io.rdma4j.queues.Padded;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * A small lock for sections that are short as a rule: one compare-and-set to take it, one ordered store to give it
 * back. Not reentrant.
 *
 * <p>The locks of the device have classes, taken in this order and at most one of each: the send queue that is
 * executed, the receive queue it reaches, the completion queue of either. So two threads that send to each other do not
 * wait for each other in a circle.
 */
public final class SpinLock extends SpinLockState {
    private static final VarHandle TAKEN;
    private static final int SPINS = 200;
    private static final int YIELDS = 50;
    private static final long PARK_NANOS = 20_000;

    static {
        try {
            TAKEN = MethodHandles.lookup().findVarHandle(SpinLockState.class, "taken", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused")
    private long p8;
    @SuppressWarnings("unused")
    private long p9;
    @SuppressWarnings("unused")
    private long p10;
    @SuppressWarnings("unused")
    private long p11;
    @SuppressWarnings("unused")
    private long p12;
    @SuppressWarnings("unused")
    private long p13;
    @SuppressWarnings("unused")
    private long p14;

    /** A free lock. */
    public SpinLock() {
        // Free is 0.
    }

    /** Takes the lock; sees everything that was written before it was given back last. */
    public void lock() {
        if (!TAKEN.compareAndSet(this, 0, 1)) {
            lockContended();
        }
    }

    private void lockContended() {
        for (int tries = 0;; tries++) {
            if ((int) TAKEN.getOpaque(this) == 0 && TAKEN.compareAndSet(this, 0, 1)) {
                return;
            }
            if (tries < SPINS) {
                Thread.onSpinWait();
            } else if (tries < SPINS + YIELDS) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(PARK_NANOS);
            }
        }
    }

    /** Gives the lock back. */
    public void unlock() {
        TAKEN.setRelease(this, 0);
    }

    /**
     * Waits until whoever holds the lock now has given it back: what that thread began before is over, and who takes
     * the lock later sees what the caller wrote before.
     */
    public void pass() {
        lock();
        unlock();
    }
}

/** The lock word itself, away from the fields of the object before it in memory. */
class SpinLockState extends Padded {
    @SuppressWarnings("unused")
    volatile int taken;
}
