/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.link;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Work that was found while locks were held and needs other locks: a sender to be resumed, the send queue of a QP whose
 * receive side failed. Whoever found it calls {@link #drain()} when it holds no lock any more. Because work is queued
 * and not called, a chain of QPs that fail one after the other needs no deep stack.
 */
public final class Agenda {
    private final ConcurrentLinkedQueue<Runnable> work = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();

    /** An empty agenda. */
    public Agenda() {
        // The fields say it all.
    }

    /**
     * Adds work.
     *
     * @param task run by some thread that holds no lock of a device.
     */
    public void add(Runnable task) {
        work.add(task);
        size.incrementAndGet();
    }

    /** Does what there is to do; the caller holds no lock of a device. One load if there is nothing. */
    public void drain() {
        while (size.get() > 0) {
            final Runnable task = work.poll();
            if (task == null) {
                return;
            }
            size.decrementAndGet();
            task.run();
        }
    }
}
