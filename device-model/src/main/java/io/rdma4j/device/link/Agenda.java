/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

import io.rdma4j.queues.Padded;

import java.util.ArrayDeque;

/**
 * Work that was found while locks were held and needs other locks: a sender to be resumed, the send queue of a QP whose
 * receive side failed. Whoever found it calls {@link #drain()} when it holds no lock any more. Because work is queued
 * and not called, a chain of QPs that fail one after the other needs no deep stack.
 *
 * <p>Waiting again and again allocates nothing once the queue has grown. Its monitor is a leaf: no lock is taken under
 * it.
 */
public final class Agenda extends Padded {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private volatile int size;

    /** An empty agenda. */
    public Agenda() {
        // The fields say it all.
    }

    /**
     * Adds work.
     *
     * @param task run by some thread that holds no lock of a device.
     */
    public synchronized void add(Runnable task) {
        tasks.add(task);
        size = tasks.size();
    }

    /** Does what there is to do; the caller holds no lock of a device. One load if there is nothing. */
    public void drain() {
        while (size > 0) {
            final Runnable task = take();
            if (task == null) {
                return;
            }
            task.run();
        }
    }

    /** Does what there is to do now, but not what is added meanwhile. */
    public void drainOnce() {
        for (int left = size; left > 0; left--) {
            final Runnable task = take();
            if (task != null) {
                task.run();
            }
        }
    }

    /** Does one thing of what there is to do; the caller holds no lock of a device. */
    public void doNext() {
        final Runnable task = size > 0 ? take() : null;
        if (task != null) {
            task.run();
        }
    }

    /**
     * {@return whether there is something to do}
     */
    public boolean hasWork() {
        return size > 0;
    }

    private synchronized Runnable take() {
        final Runnable task = tasks.poll();
        size = tasks.size();
        return task;
    }
}
