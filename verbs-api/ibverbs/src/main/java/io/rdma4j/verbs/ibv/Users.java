/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import java.util.concurrent.atomic.AtomicInteger;

/** Calls that are just naming an object by its address, which whoever closes it waits for. */
final class Users {
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
        LibraryWait.until(operation, context, what, () -> count.get() == 0,
            () -> "a thread does not come out of " + what);
    }
}
