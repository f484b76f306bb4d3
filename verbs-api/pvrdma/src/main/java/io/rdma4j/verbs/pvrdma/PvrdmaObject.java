/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.EventQueue;

import java.util.function.BooleanSupplier;

/**
 * What every object of a context has: it is closed once, and who closes it a second time waits until that is done, so
 * that a parent never goes before its child.
 */
abstract class PvrdmaObject implements EventQueue.Subject {
    final PvrdmaContext context;
    private final Object closing = new Object();
    private volatile boolean closed;

    PvrdmaObject(final PvrdmaContext context) {
        this.context = context;
    }

    @Override
    public final boolean isClosed() {
        return closed;
    }

    /** Closes it. Harmless when called again. */
    public final void close() {
        closeIf(() -> true);
    }

    /**
     * Closes it if something is so when nobody else is closing or changing it. Acknowledgements are waited for before
     * that lock is taken: who has to acknowledge may want to close or change the same object.
     */
    final void closeIf(final BooleanSupplier condition) {
        if (closed || !hasEvents() || !condition.getAsBoolean()) {
            closeNow(condition);
            return;
        }
        requireUnused();
        context.closeEvents(this);
        try {
            closeNow(condition);
        } finally {
            context.eventsClosed(this);
        }
    }

    private void closeNow(final BooleanSupplier condition) {
        synchronized (closing) {
            if (!closed && condition.getAsBoolean()) {
                requireUnused();
                leave();
                destroy();
            }
        }
    }

    /** Whether asynchronous events can be about this, or about what is in it. */
    boolean hasEvents() {
        return false;
    }

    /** Throws EBUSY if it is in use: the same that {@link #leave()} says, before anything is waited for. */
    void requireUnused() {
        // Nobody can use it.
    }

    @Override
    public boolean covers(final Object element) {
        return element == this;
    }

    /**
     * Does something that must not run while the object is being closed, nor twice at a time.
     *
     * @throws io.rdma4j.RdmaException EBADFD if it is closed.
     */
    final void whileOpen(final String operation, final Runnable action) {
        synchronized (closing) {
            requireOpen(operation);
            action.run();
        }
    }

    /** Bars the object for everybody; throws EBUSY instead if it is in use. */
    void leave() {
        closed = true;
    }

    /** Gives back what the object has; runs once. */
    abstract void destroy();

    final void requireOpen(final String operation) {
        if (closed) {
            throw Errors.closed(operation, context, this);
        }
    }
}
