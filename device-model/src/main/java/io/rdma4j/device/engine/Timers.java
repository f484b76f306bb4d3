/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Send queues that wait until some time. There is no thread of the device: whoever rings a doorbell or waits for an
 * interrupt looks whether a time has come. Looking costs one load when nobody waits, and a look at the clock when
 * somebody does.
 */
final class Timers {
    private final Set<Requester> waiting = new LinkedHashSet<>();
    private final Runnable wake;
    private volatile int count;
    private volatile long next;

    /**
     * Nobody waits.
     *
     * @param wake called when there is something to wait for earlier than before: whoever sleeps looks again.
     */
    Timers(Runnable wake) {
        this.wake = wake;
    }

    /** Has a send queue run at its {@link Retries#deadline}. Locks of queues may be held. */
    void add(Requester requester) {
        final long deadline = requester.retries().deadline();
        final boolean sooner;
        synchronized (waiting) {
            waiting.add(requester);
            sooner = count == 0 || deadline - next < 0;
            if (sooner) {
                next = deadline;
            }
            count = waiting.size();
        }
        if (sooner) {
            wake.run();
        }
    }

    void remove(Requester requester) {
        synchronized (waiting) {
            waiting.remove(requester);
            count = waiting.size();
        }
    }

    /**
     * Runs the send queues whose time has come. The caller holds no lock.
     *
     * @return nanoseconds until the next, {@link Long#MAX_VALUE} if there is none.
     */
    long service() {
        if (count == 0) {
            return Long.MAX_VALUE;
        }
        final long left = next - System.nanoTime();
        return left > 0 ? left : serviceDue();
    }

    private long serviceDue() {
        final List<Requester> due = takeDue();
        due.forEach(Requester::run);
        return count == 0 ? Long.MAX_VALUE : Math.max(0, next - System.nanoTime());
    }

    private List<Requester> takeDue() {
        final List<Requester> due = new ArrayList<>();
        final long now = System.nanoTime();
        synchronized (waiting) {
            long least = Long.MAX_VALUE;
            for (Requester requester : waiting) {
                final long left = requester.retries().deadline() - now;
                if (left <= 0) {
                    due.add(requester);
                } else {
                    least = Math.min(least, left);
                }
            }
            due.forEach(waiting::remove);
            next = now + least;
            count = waiting.size();
        }
        return due;
    }

    void clear() {
        synchronized (waiting) {
            waiting.clear();
            count = 0;
        }
    }

    @Override
    public String toString() {
        return count == 0 ? "" : "  " + count + " sends wait, the next for "
            + Math.max(0, next - System.nanoTime()) / 1000 + " us\n";
    }
}
