/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

/**
 * What every object of a context has: it is closed once, and who closes it a second time waits until that is done, so
 * that a parent never goes before its child.
 */
abstract class PvrdmaObject {
    final PvrdmaContext context;
    private final Object closing = new Object();
    private volatile boolean closed;

    PvrdmaObject(final PvrdmaContext context) {
        this.context = context;
    }

    /**
     * Whether it was closed.
     *
     * @return true if so.
     */
    public final boolean isClosed() {
        return closed;
    }

    /** Closes it. Harmless when called again. */
    public final void close() {
        synchronized (closing) {
            if (!closed) {
                leave();
                destroy();
            }
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
