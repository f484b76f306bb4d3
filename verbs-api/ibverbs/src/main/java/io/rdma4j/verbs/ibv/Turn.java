/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A lock that may be held over a call of the library, and therefore is not waited for for ever. */
final class Turn {
    private final ReentrantLock lock = new ReentrantLock();
    private final IbvContext context;
    private final Object what;
    private volatile Thread holder;
    private volatile String does;

    Turn(final IbvContext context, final Object what) {
        this.context = context;
        this.what = what;
    }

    void run(final String operation, final Runnable action) {
        get(operation, () -> {
            action.run();
            return null;
        });
    }

    <T> T get(final String operation, final Supplier<T> action) {
        LibraryWait.until(operation, context, what, lock::tryLock, this::held);
        return locked(operation, action);
    }

    /** The same for who does not wait: false, and nothing is done, while another thread has it. */
    boolean ifFree(final String operation, final BooleanSupplier action) {
        return lock.tryLock() && locked(operation, action::getAsBoolean);
    }

    private <T> T locked(final String operation, final Supplier<T> action) {
        try {
            if (lock.getHoldCount() == 1) {
                holder = Thread.currentThread();
                does = operation;
            }
            return action.get();
        } finally {
            lock.unlock();
        }
    }

    private String held() {
        final Thread seen = holder;
        return "thread '" + (seen == null ? "?" : seen.getName()) + "' does not come out of '" + does + "'";
    }
}
