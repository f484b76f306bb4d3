/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.base.LiveKind;
import io.rdma4j.driver.live.LiveEntry;
import io.rdma4j.driver.live.Publication;
import io.rdma4j.verbs.spi.Errors;
import io.rdma4j.verbs.spi.EventQueue;

import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What every object of a context has: it is closed once, and who closes it a second time waits until that is done, so
 * that a parent never goes before its child. No wait for another thread is without a deadline. A call of the library
 * that gives something back is made by the thread that closes: if that hangs, so does the thread.
 */
abstract class IbvObject implements EventQueue.Subject {
    final IbvContext context;
    private final Turn closing;
    private volatile boolean closed;
    /** Whether the library has nothing of it any more, as far as it is known. */
    private boolean gone;
    /** Null where other processes do not see it. */
    private volatile Publication publication;

    IbvObject(final IbvContext context) {
        this.context = context;
        this.closing = new Turn(context, this);
    }

    @Override
    public final boolean isClosed() {
        return closed;
    }

    /** Closes it. Harmless when called again. */
    public final void close() {
        if (closed || !hasEvents()) {
            closeIf(() -> true);
            return;
        }
        requireUnused();
        context.events.queue.close(this, AsyncEvents.CLOSE_NANOS);
        try {
            closeIf(() -> true);
        } finally {
            context.events.queue.closed(this);
        }
    }

    /** Closes it if something is so when nobody else is closing or changing it. Its events are the caller's matter. */
    final void closeIf(final BooleanSupplier condition) {
        closing.run("close " + this, () -> {
            if (!gone && condition.getAsBoolean()) {
                if (!closed) {
                    requireUnused();
                    leave();
                }
                awaitOthers();
                gone = true;
                unpublish();
                destroy();
            }
        });
    }

    /** Other processes see this from now on, until it is closed. */
    final void publish(final LiveEntry entry, final Consumer<LiveEntry> attributes) {
        publication = new Publication(entry, attributes);
        publication.changed();
    }

    /** The same for an object without counters. */
    final void publish(final LiveKind kind, final int handle, final Consumer<LiveEntry> attributes) {
        publish(context.live.add(kind, handle), attributes);
    }

    /** What others see of it is different now; any thread. */
    final void changed() {
        final Publication seen = publication;
        if (seen != null) {
            seen.changed();
        }
    }

    private void unpublish() {
        final Publication seen = publication;
        if (seen != null) {
            seen.end();
        }
    }

    /** Whether asynchronous events can be about this, or about what is in it. */
    boolean hasEvents() {
        return false;
    }

    /** Throws EBUSY if it is in use. */
    void requireUnused() {
        // Nobody can use it.
    }

    @Override
    public boolean covers(final Object element) {
        return element == this;
    }

    /** Does something that must not run while the object is being closed, nor twice at a time. */
    final void whileOpen(final String operation, final Runnable action) {
        closing.run(operation, () -> {
            requireOpen(operation);
            action.run();
        });
    }

    /** The same for making something that the library is given this object's address for. */
    final <T> T makeWhileOpen(final String operation, final Supplier<T> maker) {
        return closing.get(operation, () -> {
            requireOpen(operation);
            return maker.get();
        });
    }

    /** Bars the object for everybody; throws EBUSY instead if it is in use. */
    void leave() {
        closed = true;
    }

    /**
     * Waits, not for ever, until no other thread is in the library with what is barred; throws EBUSY if one does not
     * come out: then nothing is given back, the parent goes on knowing this, and closing again tries again.
     */
    void awaitOthers() {
        // Nobody can be there.
    }

    /** Gives back what the object has; runs once. */
    abstract void destroy();

    final void requireOpen(final String operation) {
        if (closed) {
            throw Errors.closed(operation, context, this);
        }
    }
}
