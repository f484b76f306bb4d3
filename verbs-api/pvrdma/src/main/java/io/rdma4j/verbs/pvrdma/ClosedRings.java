/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.driver.dma.DmaPages;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Where the memory of closed rings rests before it is used for something else. Posting and polling take no lock, so
 * that a thread which found its queue open just before another one closed it may write there a moment later: into
 * memory that belongs to nobody, instead of a page directory that the device walks.
 *
 * <p>A grave is opened when nobody is in the middle of a post or poll, however long that takes: on a busy machine a
 * thread can stand still for seconds. The rest before that question is for the processor, see
 * {@link io.rdma4j.queues.WorkQueue#isPosting()}.
 */
final class ClosedRings {
    static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Deque<Grave> graves = new ArrayDeque<>();

    private record Grave(DmaPages memory, BooleanSupplier inUse, long buried) {
        boolean mayBeOpened(final long now) {
            return now - buried > REST_NANOS && !inUse.getAsBoolean();
        }
    }

    synchronized void bury(final DmaPages dead, final BooleanSupplier inUse) {
        graves.addLast(new Grave(dead, inUse, System.nanoTime()));
        clearOld();
    }

    /** Gives back what has rested long enough. */
    synchronized void clearOld() {
        final long now = System.nanoTime();
        graves.removeIf(grave -> {
            final boolean open = grave.mayBeOpened(now);
            if (open) {
                grave.memory.close();
            }
            return open;
        });
    }

    /** Gives everything back: the device is gone. */
    synchronized void clear() {
        while (!graves.isEmpty()) {
            graves.pollFirst().memory.close();
        }
    }
}
