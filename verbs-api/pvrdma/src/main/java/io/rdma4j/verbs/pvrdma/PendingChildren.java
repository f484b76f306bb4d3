/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.spi.Errors;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Children that threads are making. The device has a child before its parent here knows of it, and does not destroy a
 * parent that has children: so who closes the parent waits for those that are under way, and there will be no more.
 */
final class PendingChildren {
    /** A region of many gigabytes is mapped in seconds, and a command has a deadline of its own. */
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final PvrdmaObject parent;
    private int underWay;
    private boolean ended;

    PendingChildren(final PvrdmaObject parent) {
        this.parent = parent;
    }

    /**
     * Makes a child.
     *
     * @throws RdmaException EBADFD if the parent is being closed, or as the maker says.
     */
    <T> T during(final String operation, final Supplier<T> maker) {
        begin(operation);
        try {
            return maker.get();
        } finally {
            end();
        }
    }

    private synchronized void begin(final String operation) {
        if (ended) {
            throw Errors.closed(operation, parent.context, parent);
        }
        underWay++;
    }

    private synchronized void end() {
        underWay--;
        notifyAll();
    }

    /**
     * Lets no more come, and waits for those that are under way.
     *
     * @throws RdmaException ETIMEDOUT if that takes too long.
     */
    synchronized void close() {
        ended = true;
        final long deadline = System.nanoTime() + DEADLINE_NANOS;
        boolean interrupted = false;
        long nanos = DEADLINE_NANOS;
        while (underWay > 0 && nanos > 0) {
            try {
                wait(nanos / 1_000_000 + 1);
            } catch (final InterruptedException e) {
                // What is awaited ends by itself; the thread is told later.
                interrupted = true;
            }
            nanos = deadline - System.nanoTime();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (underWay > 0) {
            throw Errors.error(RdmaException.ETIMEDOUT, "close", parent.context,
                "%d objects are being made in %s by other threads for more than %d s", underWay, parent,
                TimeUnit.NANOSECONDS.toSeconds(DEADLINE_NANOS));
        }
    }
}
