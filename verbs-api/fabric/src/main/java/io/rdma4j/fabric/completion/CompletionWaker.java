/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.completion;

import io.rdma4j.RdmaException;
import io.rdma4j.base.DaemonThreads;
import io.rdma4j.verbs.CompletionChannel;
import io.rdma4j.verbs.CompletionQueue;
import io.rdma4j.verbs.RdmaContext;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One for each device: hears of completions, and wakes up who waits for queues. Its thread is started by the first wait
 * and ends with the last queue; while nobody waits it does nothing.
 */
final class CompletionWaker {
    private static final Map<RdmaContext, CompletionWaker> ALL = new HashMap<>();
    private static final Duration LONGEST = Duration.ofMillis(100);

    private final RdmaContext context;
    private final CompletionChannel channel;
    /** Queues that use it. Guarded by the class's map. */
    private int users;
    /** Which queues hear of which verbs queues. */
    private final Watchers<CompletionQueue, FabricCompletionQueue> watchers = new Watchers<>();
    private final DueClock clock;
    private final AtomicInteger waiting = new AtomicInteger();
    private Thread thread;
    private volatile Thread parked;
    private volatile boolean ended;

    private CompletionWaker(final RdmaContext context) {
        this.context = context;
        this.channel = context.createChannel();
        clock = new DueClock(context);
    }

    /** The device's one, used until {@link #leave}. */
    static CompletionWaker join(final RdmaContext context) {
        synchronized (ALL) {
            final CompletionWaker waker = of(context);
            waker.users++;
            return waker;
        }
    }

    /** The device's one. */
    static CompletionWaker of(final RdmaContext context) {
        synchronized (ALL) {
            CompletionWaker waker = ALL.get(context);
            if (waker == null || waker.channel.isClosed()) {
                ALL.values().removeIf(old -> old.channel.isClosed() || old.context.isClosed());
                waker = new CompletionWaker(context);
                ALL.put(context, waker);
            }
            return waker;
        }
    }

    void leave() {
        synchronized (ALL) {
            if (--users > 0) {
                return;
            }
            try {
                channel.close();
            } catch (final RdmaException e) {
                if (e.errno() == RdmaException.EBUSY) {
                    // Verbs queues of ports are still there: used again, or closed with the device.
                    return;
                }
                throw e;
            } finally {
                stopIfClosed();
            }
        }
    }

    private void stopIfClosed() {
        if (channel.isClosed()) {
            ended = true;
            clock.end();
            ALL.remove(context, this);
            LockSupport.unpark(parked);
        }
    }

    CompletionChannel channel() {
        return channel;
    }

    void watch(final CompletionQueue cq, final FabricCompletionQueue queue) {
        watchers.watch(cq, queue);
    }

    void unwatch(final CompletionQueue cq, final FabricCompletionQueue queue) {
        watchers.unwatch(cq, queue);
    }

    /** A queue is closed: it hears of nothing any more. */
    void forget(final FabricCompletionQueue queue) {
        watchers.forget(queue);
    }

    /** A verbs queue is closed: nothing is heard of it any more. */
    void gone(final CompletionQueue cq) {
        watchers.gone(cq);
    }

    /** Wakes up without an event. */
    DueClock clock() {
        return clock;
    }

    /** Somebody is about to wait. */
    void oneMore() {
        if (waiting.getAndIncrement() == 0) {
            if (!ended) {
                start();
            }
            LockSupport.unpark(parked);
        }
    }

    /** Somebody waits no more. */
    void oneLess() {
        waiting.decrementAndGet();
    }

    private synchronized void start() {
        if (thread == null || !thread.isAlive()) {
            thread = DaemonThreads.start("rdma4j-completions-" + context.address(), this::run);
        }
    }

    private void run() {
        while (!ended && !channel.isClosed() && !context.isClosed()) {
            if (waiting.get() == 0) {
                rest();
            } else if (!listen()) {
                return;
            }
        }
    }

    private void rest() {
        parked = Thread.currentThread();
        // Who comes from here on sees that this thread is parked, or is seen.
        if (waiting.get() == 0 && !ended) {
            LockSupport.parkNanos(this, TimeUnit.SECONDS.toNanos(1));
        }
        parked = null;
    }

    /** False if there is nothing more to be heard. */
    private boolean listen() {
        try {
            final CompletionQueue cq = channel.await(LONGEST);
            if (cq != null) {
                watchers.tell(cq, FabricCompletionQueue::wake);
            }
            return true;
        } catch (final RdmaException e) {
            // The device is gone, or the channel is closed: all look for themselves.
            watchers.tellAll(FabricCompletionQueue::wake);
            return false;
        }
    }

    @Override
    public String toString() {
        return "waker of " + context.address() + ", " + users + " queues, " + waiting + " wait";
    }
}
