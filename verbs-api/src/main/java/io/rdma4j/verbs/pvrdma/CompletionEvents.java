/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.pvrdma.NotificationRing;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Lets threads wait for events of their CQs, of which all share one interrupt vector. One of the waiting threads waits
 * on the vector and sorts what comes; the others wait for it. When it leaves, another one takes its place.
 */
final class CompletionEvents {
    /** Longest wait without a look around: nobody but the device can end a wait on the vector. */
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final String OPERATION = "await completion event";

    private final PvrdmaContext context;
    private boolean taken;

    CompletionEvents(final PvrdmaContext context) {
        this.context = context;
    }

    boolean await(final PvrdmaCq cq, final Duration timeout) {
        final long deadline = System.nanoTime() + Deadlines.nanos(timeout);
        boolean looked = false;
        while (true) {
            cq.requireOpen(OPERATION);
            context.requireWorking(OPERATION);
            if (take(cq)) {
                return true;
            }
            final long left = deadline - System.nanoTime();
            if (left <= 0 && looked || Thread.currentThread().isInterrupted()) {
                return false;
            }
            looked = true;
            look(Math.min(Math.max(left, 0), SLICE_NANOS));
        }
    }

    private synchronized boolean take(final PvrdmaCq cq) {
        return cq.takeEvent();
    }

    private void look(final long nanos) {
        if (!takeVector(nanos)) {
            return;
        }
        boolean fired = false;
        try {
            fired = context.device.awaitCompletionEvents(nanos);
        } finally {
            giveVector(fired);
        }
    }

    /** Takes the vector; if another thread has it, waits for news from there instead. */
    private synchronized boolean takeVector(final long nanos) {
        if (taken) {
            final long millis = TimeUnit.NANOSECONDS.toMillis(nanos);
            try {
                if (millis > 0) {
                    wait(millis);
                }
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return false;
        }
        taken = true;
        return true;
    }

    private synchronized void giveVector(final boolean fired) {
        taken = false;
        if (fired && context.device.notifications().drain(this::notified) == NotificationRing.CHECK_ALL) {
            context.openCqs().stream().filter(PvrdmaCq::isArmed).forEach(PvrdmaCq::notified);
        }
        notifyAll();
    }

    private void notified(final int handle) {
        final PvrdmaCq cq = context.cqs.get(handle);
        if (cq != null) {
            cq.notified();
        }
    }

    /** Wakes who waits for this CQ, without the device. */
    synchronized void signal(final PvrdmaCq cq) {
        cq.notified();
        notifyAll();
    }
}
