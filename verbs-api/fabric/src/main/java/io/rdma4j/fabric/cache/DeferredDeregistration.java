/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import io.rdma4j.base.DaemonThreads;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Entries that were retired on the thread of a monitor or of the garbage collector's cleaner, which must not be kept
 * waiting: a daemon thread deregisters them. Whoever registers memory deregisters first what waits here, so that pages
 * which are registered twice by addresses that have changed their meaning are not pinned as the old ones.
 */
final class DeferredDeregistration {
    private static final int IDLE_SECONDS = 5;
    private static final Executor UNDERTAKER = undertaker();

    private final Queue<Entry> waiting = new ConcurrentLinkedQueue<>();
    private final Consumer<Entry> closing;
    private final Object busy = new Object();

    DeferredDeregistration(final Consumer<Entry> closing) {
        this.closing = closing;
    }

    private static Executor undertaker() {
        return DaemonThreads.pool("rdma4j-mr-cache", 1, IDLE_SECONDS);
    }

    /** Leaves them to the daemon thread. */
    void bury(final Iterable<Entry> entries) {
        boolean some = false;
        for (final Entry entry : entries) {
            waiting.add(entry);
            some = true;
        }
        if (some) {
            UNDERTAKER.execute(this::drain);
        }
    }

    /** Closes what waits, and waits for another thread that is doing so. */
    void drain() {
        if (!waiting.isEmpty() || isDraining) {
            drain(List::of);
        }
    }

    /**
     * The same with entries that are retired now: who drains later waits for them.
     *
     * @return whether something was closed, here or by the other thread.
     */
    boolean drain(final Supplier<List<Entry>> retiring) {
        boolean some = isDraining;
        synchronized (busy) {
            isDraining = true;
            try {
                waiting.addAll(retiring.get());
                for (Entry entry = waiting.poll(); entry != null; entry = waiting.poll()) {
                    closing.accept(entry);
                    some = true;
                }
            } finally {
                isDraining = false;
            }
        }
        return some;
    }

    /** Written with {@link #busy} held. */
    private volatile boolean isDraining;
}
