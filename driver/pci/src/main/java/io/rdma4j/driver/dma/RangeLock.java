/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.dma;

import io.rdma4j.RdmaException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Lets those through whose address ranges do not overlap, and the others one after the other. Thread-safe.
 *
 * <p>It is what stands instead of a lock around a system call that takes milliseconds: two threads that map or pin
 * different memory do not wait for each other, but one that uses what another is still mapping does, as it must not be
 * told that the memory is there before it is. A holder takes no second range.
 */
final class RangeLock {
    /** A system call over the largest region takes a second at most; after this something is stuck in the kernel. */
    private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final List<Held> held = new ArrayList<>();
    private final long deadlineNanos;

    RangeLock() {
        this(DEADLINE_NANOS);
    }

    /** For tests. */
    RangeLock(final long deadlineNanos) {
        this.deadlineNanos = deadlineNanos;
    }

    /** A range that is held until it is released. */
    final class Held {
        private final long start;
        private final long end;

        private Held(final long start, final long end) {
            this.start = start;
            this.end = end;
        }

        private boolean overlaps(final Held other) {
            return start < other.end && other.start < end;
        }

        void release() {
            synchronized (held) {
                held.remove(this);
                held.notifyAll();
            }
        }

        @Override
        public String toString() {
            return String.format("0x%x..0x%x", start, end - 1);
        }
    }

    /**
     * Waits until nobody holds a byte of the range, then holds it.
     *
     * @throws RdmaException ETIMEDOUT if that takes too long.
     */
    Held hold(final long start, final long end) {
        final Held wanted = new Held(start, end);
        final long deadline = System.nanoTime() + deadlineNanos;
        boolean interrupted = false;
        try {
            synchronized (held) {
                Held other = obstacle(wanted);
                while (other != null) {
                    interrupted |= awaitRelease(wanted, other, deadline - System.nanoTime());
                    other = obstacle(wanted);
                }
                held.add(wanted);
                return wanted;
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Held obstacle(final Held wanted) {
        for (final Held other : held) {
            if (other.overlaps(wanted)) {
                return other;
            }
        }
        return null;
    }

    /** Tells whether the thread was interrupted: that is passed on later, as the wait itself ends soon by itself. */
    private boolean awaitRelease(final Held wanted, final Held other, final long nanos) {
        if (nanos <= 0) {
            throw RdmaException.of("map or pin memory")
                .detail("%s waits for %s, which another thread has been mapping or unmapping for %d s", wanted, other,
                    TimeUnit.NANOSECONDS.toSeconds(deadlineNanos))
                .errno(RdmaException.ETIMEDOUT)
                .build();
        }
        try {
            held.wait(nanos / 1_000_000, (int) (nanos % 1_000_000));
            return false;
        } catch (final InterruptedException e) {
            return true;
        }
    }
}
