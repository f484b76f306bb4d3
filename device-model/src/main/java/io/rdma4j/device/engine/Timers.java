/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import io.rdma4j.device.link.Agenda;

import java.util.Arrays;

/**
 * Send queues that wait until some time, in the order in which they came. There is no thread of the device: whoever
 * rings a doorbell or waits for an interrupt looks whether a time has come. Looking costs one load when nobody waits,
 * and a look at the clock when somebody does. The array only grows, so that waiting again and again allocates nothing.
 */
final class Timers {
    private final Runnable wake;
    private final Agenda agenda;
    private Requester[] waiting = new Requester[8];
    private volatile int count;
    private volatile long next;
    /** How far the clock of this device is ahead of the machine's. */
    private volatile long ahead;

    /**
     * Nobody waits.
     *
     * @param wake   called when there is something to wait for earlier than before: whoever sleeps looks again.
     * @param agenda gets those whose time has come, for threads of this device. Its monitor is taken under that of
     *               this.
     */
    Timers(Runnable wake, Agenda agenda) {
        this.wake = wake;
        this.agenda = agenda;
    }

    /** Has a send queue run at its {@link Retries#deadline}. Locks of queues may be held. */
    void add(Requester requester) {
        if (addSooner(requester)) {
            wake.run();
        }
    }

    private synchronized boolean addSooner(Requester requester) {
        final long deadline = requester.deadline();
        final boolean sooner = count == 0 || deadline - next < 0;
        if (sooner) {
            next = deadline;
        }
        if (!requester.isTimed) {
            append(requester);
        }
        return sooner;
    }

    private void append(Requester requester) {
        if (count == waiting.length) {
            waiting = Arrays.copyOf(waiting, 2 * count);
        }
        requester.isTimed = true;
        waiting[count] = requester;
        count = count + 1;
    }

    synchronized void remove(Requester requester) {
        if (requester.isTimed) {
            requester.isTimed = false;
            keepTimed();
        }
    }

    /** The others keep their order. */
    private void keepTimed() {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (waiting[i].isTimed) {
                waiting[kept++] = waiting[i];
            }
        }
        Arrays.fill(waiting, kept, count, null);
        count = kept;
    }

    /** Puts the send queues whose time has come on the agenda. */
    void service() {
        if (count != 0 && next - now() <= 0) {
            takeDue();
        }
    }

    /**
     * {@return nanoseconds until the next time, at least 0; {@link Long#MAX_VALUE} if there is none}
     */
    long left() {
        return count == 0 ? Long.MAX_VALUE : Math.max(0, next - now());
    }

    private synchronized void takeDue() {
        final long time = now();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            final long left = waiting[i].deadline() - time;
            if (left <= 0) {
                waiting[i].isTimed = false;
                waiting[i].timeIsUp();
                agenda.add(waiting[i]);
            } else {
                least = Math.min(least, left);
            }
        }
        next = time + least;
        keepTimed();
    }

    /** The time of this device, in nanoseconds; as of {@link System#nanoTime()}, and ahead of it. */
    long now() {
        return System.nanoTime() + ahead;
    }

    /** As if so much time had passed. */
    synchronized void pass(long nanos) {
        ahead = ahead + nanos;
    }

    synchronized void clear() {
        for (int i = 0; i < count; i++) {
            waiting[i].isTimed = false;
        }
        keepTimed();
    }

    @Override
    public String toString() {
        return count == 0 ? "" : "  " + count + " sends wait, the next for " + left() / 1000 + " us\n";
    }
}
