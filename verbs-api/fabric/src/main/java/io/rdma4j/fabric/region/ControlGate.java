/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.FiErrno;

import java.util.concurrent.TimeUnit;

/**
 * Lets one control operation at a time work on an object. Not a lock: threads that wait do so for a limited time, and
 * are told what was in their way.
 */
final class ControlGate {
    private static final long DEADLINE_NS = TimeUnit.SECONDS.toNanos(60);

    private String inside;
    private Thread owner;

    /** Waits until it is free. */
    synchronized void enter(final String operation, final Object object) {
        final long start = System.nanoTime();
        boolean interrupted = false;
        while (inside != null) {
            final long rest = DEADLINE_NS - (System.nanoTime() - start);
            if (rest <= 0 || owner == Thread.currentThread()) {
                throw Refusals.of(FiErrno.FI_EBUSY, operation, "\"%s\" is under way on %s, by %s", inside, object,
                    owner.getName()).build();
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, rest);
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        inside = operation;
        owner = Thread.currentThread();
        if (interrupted) {
            owner.interrupt();
        }
    }

    synchronized boolean isOwn() {
        return owner == Thread.currentThread();
    }

    synchronized void leave() {
        inside = null;
        owner = null;
        notifyAll();
    }
}
