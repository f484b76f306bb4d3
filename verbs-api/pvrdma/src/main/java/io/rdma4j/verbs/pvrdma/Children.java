/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import io.rdma4j.base.Cleanup;
import io.rdma4j.verbs.spi.Errors;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The open children of one kind, held strongly: what a device may still write to must not be collected because the
 * application forgot it.
 */
final class Children<T extends PvrdmaObject> {
    private final Set<T> open = new LinkedHashSet<>();
    private boolean ended;

    /** Adds a child; where the parent was closed meanwhile the child is closed at once. */
    T add(final String operation, final Object parent, final T child) {
        if (!tryAdd(child)) {
            child.close();
            throw Errors.closed(operation, child.context, parent);
        }
        return child;
    }

    /** Adds a child unless the parent was closed. */
    synchronized boolean tryAdd(final T child) {
        return !ended && open.add(child);
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

    /** Closes all, the youngest first; there will be no more. */
    void closeAll(final Cleanup cleanup) {
        closeAll(cleanup, PvrdmaObject::close);
    }

    /** The same, for children that can be told to close only if they are still here. */
    void closeAll(final Cleanup cleanup, final Consumer<? super T> close) {
        synchronized (this) {
            ended = true;
        }
        final List<T> children = list();
        Collections.reverse(children);
        children.forEach(child -> cleanup.run(() -> close.accept(child)));
    }
}
