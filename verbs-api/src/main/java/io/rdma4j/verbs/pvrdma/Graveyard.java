/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.dma.DmaPages;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Where the memory of closed rings rests before it is used for something else. Posting and polling take no lock, so
 * that a thread which found its queue open just before another one closed it may write there a moment later: into
 * memory that belongs to nobody, instead of a page directory that the device walks.
 */
final class Graveyard {
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** Some devices reach little memory, so not much of it may lie idle. */
    private static final int MAX_PAGES = 256;

    private final Deque<Grave> graves = new ArrayDeque<>();
    private int pages;

    private record Grave(DmaPages memory, long buried) {
    }

    synchronized void bury(final DmaPages dead) {
        graves.addLast(new Grave(dead, System.nanoTime()));
        pages += dead.pages();
        clearOld();
    }

    /** Gives back what has rested long enough. */
    synchronized void clearOld() {
        final long now = System.nanoTime();
        while (!graves.isEmpty() && (pages > MAX_PAGES || now - graves.peekFirst().buried > REST_NANOS)) {
            giveBackOldest();
        }
    }

    /** Gives everything back: the device is gone. */
    synchronized void clear() {
        while (!graves.isEmpty()) {
            giveBackOldest();
        }
    }

    private void giveBackOldest() {
        final DmaPages memory = graves.pollFirst().memory;
        pages -= memory.pages();
        memory.close();
    }
}
