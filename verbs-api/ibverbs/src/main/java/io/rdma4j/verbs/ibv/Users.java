/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;
import io.rdma4j.verbs.spi.Errors;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Calls that are just naming an object by its address, which whoever closes it waits for. */
final class Users {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean barred;

    /** Begins to use an object; false if it is closed. */
    boolean begin(final IbvObject object) {
        count.incrementAndGet();
        // Looked at afterwards: who closes it either is seen here, or sees this.
        if (barred || object.isClosed()) {
            count.decrementAndGet();
            return false;
        }
        return true;
    }

    /** Nobody new is let in. */
    void bar() {
        barred = true;
    }

    void unbar() {
        barred = false;
    }

    void end() {
        count.decrementAndGet();
    }

    /** Waits until nobody uses it; the object is closed. */
    void awaitNone(final String operation, final IbvContext context, final Object what) {
        final long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (count.get() > 0) {
            if (System.nanoTime() - deadline > 0) {
                context.stuck();
                throw Errors.error(RdmaException.EBUSY, operation, context, "a thread does not come out of %s", what);
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(50));
        }
    }
}
