/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.base.Deadline;
import io.rdma4j.verbs.pvrdma.device.NotificationRing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets threads wait for events of CQs and channels, which all share one interrupt vector and one notification ring. One
 * of the waiting threads leads: it waits on the vector and tells the others what concerns them; they sleep meanwhile.
 * It leads until it leaves, with an event or without, and then wakes another one to lead. Who finds no leader leads.
 * So somebody listens whenever somebody waits, and the vector counts what fires between two leaders.
 *
 * <p>The lock guards the events. Under it nothing else is locked and nobody is called, so that any thread may tell of
 * an event whatever it holds.
 */
final class CompletionEvents {
    static final String OPERATION = "await completion event";
    /** Longest wait without a look around: nobody but the device can end a wait on the vector. */
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final PvrdmaContext context;
    private final ReentrantLock lock = new ReentrantLock();
    /** What the followers sleep on, the longest asleep first. */
    private final List<Condition> followers = new ArrayList<>();
    private boolean led;
    /** Of the leader, and handed over with the lock. */
    private long askedAt = System.nanoTime();

    CompletionEvents(final PvrdmaContext context) {
        this.context = context;
    }

    Condition newCondition() {
        return lock.newCondition();
    }

    /** Waits for an event and takes it; null if the time passed, or somebody ended the wait. */
    <T> T await(final EventSource<T> source, final Duration timeout) {
        final T event = await(source, Deadline.after(timeout));
        if (event == null) {
            context.requireOpen(OPERATION);
            source.owner.requireOpen(OPERATION);
            context.requireWorking(OPERATION);
        }
        return event;
    }

    private <T> T await(final EventSource<T> source, final long deadline) {
        lock.lock();
        try {
            boolean looked = false;
            while (!source.owner.isClosed() && !context.isClosed() && !context.isFailed()) {
                final T event = source.take();
                final long left = deadline - System.nanoTime();
                if (event != null || left <= 0 && looked || Thread.currentThread().isInterrupted()
                    || source.takeWakeUp()) {
                    return event;
                }
                looked = true;
                if (led) {
                    follow(source.changed, left);
                } else {
                    lead(Math.min(Math.max(left, 0), SLICE_NANOS));
                }
            }
            return null;
        } finally {
            handOver();
            lock.unlock();
        }
    }

    /** Waits for an interrupt that is on its way: the event is not armed when it has come. */
    void awaitInterrupt(final CqEvent event, final long deadline) {
        lock.lock();
        try {
            long left = deadline - System.nanoTime();
            while (event.isArmed() && left > 0 && !context.isFailed() && !Thread.currentThread().isInterrupted()) {
                if (led) {
                    follow(event.changed, Math.min(left, SLICE_NANOS));
                } else {
                    lead(Math.min(left, SLICE_NANOS));
                }
                left = deadline - System.nanoTime();
            }
        } finally {
            handOver();
            lock.unlock();
        }
    }

    private void follow(final Condition changed, final long nanos) {
        followers.add(changed);
        try {
            changed.awaitNanos(nanos);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            followers.remove(changed);
        }
    }

    private void lead(final long nanos) {
        led = true;
        lock.unlock();
        try {
            if (context.device.awaitCompletionEvents(nanos)) {
                dispatch();
            } else {
                askNowAndThen();
            }
        } finally {
            lock.lock();
            led = false;
        }
    }

    /** A follower that leaves in this moment without leading passes it on. */
    private void handOver() {
        if (!led && !followers.isEmpty()) {
            followers.get(0).signal();
        }
    }

    private void dispatch() {
        if (context.device.notifications().drain(this::raise) == NotificationRing.CHECK_ALL) {
            context.openCqs().forEach(cq -> raise(cq.event));
        }
    }

    private void raise(final int handle) {
        final PvrdmaCq cq = context.cqs.get(handle);
        if (cq != null) {
            raise(cq.event);
        }
    }

    /** Some devices hold back what nobody asks for, and who waits here does not poll, nor ask for other events. */
    private void askNowAndThen() {
        final long now = System.nanoTime();
        if (now - askedAt >= SLICE_NANOS) {
            askedAt = now;
            context.fetchEvents();
            context.openCqs().stream().filter(cq -> cq.event.isArmed()).forEach(PvrdmaCq::poke);
        }
    }

    /** Tells of an event, if it was asked for. */
    void raise(final CqEvent event) {
        lock.lock();
        try {
            event.raise();
        } finally {
            lock.unlock();
        }
    }

    void wakeUp(final ChannelEvents source) {
        lock.lock();
        try {
            source.wakeUp();
            // It may be a thread that waits for one of the channel's CQs.
            followers.forEach(Condition::signalAll);
        } finally {
            lock.unlock();
        }
    }

    /** Wakes who waits for something that was closed. */
    void end(final EventSource<?> source) {
        lock.lock();
        try {
            source.clear();
            source.changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Wakes everybody: the device failed or is being closed. */
    void endAll() {
        lock.lock();
        try {
            followers.forEach(Condition::signalAll);
        } finally {
            lock.unlock();
        }
    }

    int count(final ChannelEvents source) {
        lock.lock();
        try {
            return source.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        lock.lock();
        try {
            return "completion events: " + (led ? "one thread listens" : "nobody listens") + ", " + followers.size()
                + " follow";
        } finally {
            lock.unlock();
        }
    }
}
