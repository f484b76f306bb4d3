/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.base.Cleanup;
import io.rdma4j.verbs.spi.Errors;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The open children of one kind, held strongly: the device may write to their memory. */
final class Children<T extends IbvObject> {
    private final Set<T> open = new LinkedHashSet<>();
    private int coming;
    private boolean ended;

    /** Makes a child; a parent that is being closed waits for it, and closes it with the others. */
    T add(final String operation, final IbvContext context, final Object parent, final Supplier<T> maker) {
        synchronized (this) {
            if (ended) {
                throw Errors.closed(operation, context, parent);
            }
            coming++;
        }
        T child = null;
        try {
            child = maker.get();
            return child;
        } finally {
            came(child);
        }
    }

    private synchronized void came(final T child) {
        coming--;
        if (child != null) {
            open.add(child);
        }
    }

    private synchronized boolean isComing() {
        return coming > 0;
    }

    synchronized void remove(final T child) {
        open.remove(child);
    }

    synchronized List<T> list() {
        return new ArrayList<>(open);
    }

    synchronized int size() {
        return open.size();
    }

    /** Closes all, the youngest first; there will be no more than those that are just being made. */
    void closeAll(final Cleanup cleanup, final IbvContext context, final Object parent) {
        closeAll(cleanup, context, parent, IbvObject::close);
    }

    /** The same, for children that can be told to close only if they are still here. */
    void closeAll(final Cleanup cleanup, final IbvContext context, final Object parent,
        final Consumer<? super T> close) {
        synchronized (this) {
            ended = true;
        }
        cleanup.run(() -> LibraryWait.until("close " + parent, context, parent, () -> !isComing(),
            () -> "a thread does not come out of making something that belongs to it"));
        final List<T> children = list();
        Collections.reverse(children);
        children.forEach(child -> cleanup.run(() -> close.accept(child)));
    }
}
