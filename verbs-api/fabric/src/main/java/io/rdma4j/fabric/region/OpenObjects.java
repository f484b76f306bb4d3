/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.region;

import io.rdma4j.fabric.FabricException;
import io.rdma4j.fabric.FiErrno;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What of an owner is open: it cannot be closed before. Thread-safe; the lock is held for moments only. */
public final class OpenObjects {
    private static final int NAMED = 3;

    private final String owner;
    private final Map<Identity, String> open = new LinkedHashMap<>();
    private boolean closed;

    /** An object, not what it is equal to. */
    private record Identity(Object object) {
        @Override
        public boolean equals(final Object other) {
            return other instanceof Identity && ((Identity) other).object == object;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(object);
        }
    }

    /**
     * Nothing is open.
     *
     * @param owner what is told of in messages, such as {@code domain}.
     */
    public OpenObjects(final String owner) {
        this.owner = owner;
    }

    /**
     * An object was opened.
     *
     * @param operation for the message.
     * @param kind      what it is, such as {@code region}.
     * @param object    the object.
     * @throws FabricException FI_EBADFD if the owner is closed.
     */
    public synchronized void add(final String operation, final String kind, final Object object) {
        if (closed) {
            throw Refusals.closed(operation, "the " + owner).build();
        }
        open.put(new Identity(object), kind);
    }

    /**
     * An object was closed.
     *
     * @param object the object.
     * @return false if it was not there.
     */
    public synchronized boolean remove(final Object object) {
        return open.remove(new Identity(object)) != null;
    }

    /**
     * Refuses an operation after the end.
     *
     * @param operation for the message.
     * @throws FabricException FI_EBADFD if the owner is closed.
     */
    public synchronized void requireOpen(final String operation) {
        if (closed) {
            throw Refusals.closed(operation, "the " + owner).build();
        }
    }

    /**
     * Whether the owner was closed.
     *
     * @return true if so.
     */
    public synchronized boolean isClosed() {
        return closed;
    }

    /**
     * Closes the owner, if nothing is open.
     *
     * @param more what else is open, as text; empty if nothing. Asked under the lock.
     * @return false if it was closed before.
     * @throws FabricException FI_EBUSY if something is open: the message says what.
     */
    public boolean close(final Supplier<String> more) {
        final String rest;
        synchronized (this) {
            if (closed) {
                return false;
            }
            rest = more.get();
            closed = open.isEmpty() && rest.isEmpty();
            if (closed) {
                return true;
            }
        }
        final String objects = describe();
        throw Refusals.of(FiErrno.FI_EBUSY, "close " + owner, "%s still open",
            objects + (objects.isEmpty() || rest.isEmpty() ? "" : ", ") + rest)
            .hint("close these first, in any order").build();
    }

    /** Counts of each kind, and the first few by name. */
    private String describe() {
        final Map<String, List<Object>> kinds = new LinkedHashMap<>();
        synchronized (this) {
            open.forEach((object, kind) ->
                kinds.computeIfAbsent(kind, any -> new ArrayList<>()).add(object.object()));
        }
        final List<String> texts = new ArrayList<>();
        kinds.forEach((kind, objects) -> texts.add(objects.size() + " " + kind + (objects.size() == 1 ? " " : "s ")
            + objects.subList(0, Math.min(NAMED, objects.size())) + (objects.size() > NAMED ? "..." : "")));
        return String.join(", ", texts);
    }

    /**
     * How many objects are open.
     *
     * @return a count.
     */
    public synchronized int size() {
        return open.size();
    }
}
