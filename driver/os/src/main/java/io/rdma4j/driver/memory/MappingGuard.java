/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.driver.memory;

import java.util.Locale;
import java.util.Set;

/**
 * One watched range. Thread-safe.
 *
 * <p>A guard that is not {@link #intact()} never becomes so again, and nothing is to be remembered on its account.
 */
public final class MappingGuard implements AutoCloseable {
    /** What became of it. Only the first state changes, and only once. */
    private enum State { INTACT, CHANGED, REFUSED, CLOSED }

    private final MappingEngine engine;
    private final Set<MappingGuard> owner;
    private final long address;
    private final long length;
    private final MappingListener listener;
    /** What is registered with the kernel: whole pages. Set under the register's lock. */
    private long from;
    private long to;
    /** Whether the register has it; under its lock. */
    private boolean registered;
    /** Whether the memory was found to be nobody's but the application's after it was registered; likewise. */
    private boolean proven;
    private String whyNot;
    private volatile State state = State.INTACT;

    MappingGuard(final MappingEngine engine, final Set<MappingGuard> owner, final long address, final long length,
            final MappingListener listener) {
        this.engine = engine;
        this.owner = owner;
        this.address = address;
        this.length = length;
        this.listener = listener;
    }

    /**
     * Where the range is.
     *
     * @return the address that was given
     */
    public long address() {
        return address;
    }

    /**
     * How long it is.
     *
     * @return bytes, as given
     */
    public long length() {
        return length;
    }

    /**
     * Whether the memory is watched, and nothing has happened to it that was delivered. One volatile read.
     *
     * @return false after a change, after close, and if it could not be watched
     */
    public boolean intact() {
        return state == State.INTACT;
    }

    /**
     * Why the range is not watched.
     *
     * @return a sentence; null if it is, or was until a change or close
     */
    public String whyNot() {
        return state == State.REFUSED ? whyNot : null;
    }

    /** Watches no longer; the listener is not called after this unless it runs already. Closing twice is harmless. */
    @Override
    public void close() {
        engine.unwatch(this);
    }

    MappingGuard refuse(final String why) {
        whyNot = why;
        leave(State.REFUSED);
        return this;
    }

    boolean change() {
        return leave(State.CHANGED);
    }

    boolean end() {
        return leave(State.CLOSED);
    }

    private synchronized boolean leave(final State next) {
        if (state != State.INTACT) {
            return false;
        }
        state = next;
        owner.remove(this);
        return true;
    }

    void register(final long first, final long end) {
        from = first;
        to = end;
        registered = true;
    }

    /** Whether it was registered until now. */
    boolean unregister() {
        final boolean was = registered;
        registered = false;
        return was;
    }

    void prove() {
        proven = true;
    }

    boolean proven() {
        return proven && intact();
    }

    long from() {
        return from;
    }

    long to() {
        return to;
    }

    MappingListener listener() {
        return listener;
    }

    @Override
    public String toString() {
        final String why = whyNot();
        return String.format("%d bytes at %#x, %s%s", length, address, state.name().toLowerCase(Locale.ROOT),
            why == null ? "" : ": " + why);
    }
}
