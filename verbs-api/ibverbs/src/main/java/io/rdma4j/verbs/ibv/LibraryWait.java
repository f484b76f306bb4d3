/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for other threads that are in the library, where they may hang: not for ever, and not over an interruption.
 * What they use there stays; who waited may try again. A call of the library that the waiting thread makes itself
 * cannot be ended, and lasts as long as it lasts.
 */
final class LibraryWait {
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private LibraryWait() {
    }

    /**
     * Returns when something is so.
     *
     * @param operation what the caller does.
     * @param context   the device, which says how long to wait.
     * @param what      the object that it is about.
     * @param done      looks; what it did to make it so is done once.
     * @param seen      what the wait is for, as a sentence without its end.
     * @throws RdmaException EBUSY if it is not so in time.
     */
    static void until(final String operation, final IbvContext context, final Object what, final BooleanSupplier done,
        final Supplier<String> seen) {
        final long nanos = context.patienceNanos;
        final long deadline = System.nanoTime() + nanos;
        boolean interrupted = false;
        try {
            while (!done.getAsBoolean()) {
                if (System.nanoTime() - deadline > 0) {
                    context.countTimeout();
                    throw late(operation, context, what, seen.get() + "; waited "
                        + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms");
                }
                LockSupport.parkNanos(PAUSE_NANOS);
                interrupted |= Thread.interrupted();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RdmaException late(final String operation, final IbvContext context, final Object what,
        final String seen) {
        return RdmaException.of(operation).device(context.address()).object(what).detail("%s", seen)
            .errno(RdmaException.EBUSY)
            .hint("what is used there is kept: do it again when that thread has come back").build();
    }
}
