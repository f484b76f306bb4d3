/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** What an event queue is made with (struct fi_eq_attr). Not thread-safe; read when it is opened. */
public final class EqAttributes {
    private int size;
    private boolean writable;
    private WaitObject waitObject = WaitObject.UNSPEC;

    /** The default size, not for the application to write to, waiting as the provider likes. */
    public EqAttributes() {
        // All fields have their defaults.
    }

    /**
     * Events that it holds at least. It grows as needed: nothing is lost.
     *
     * @param events 0 for a default.
     * @return this.
     */
    public EqAttributes size(final int events) {
        size = events;
        return this;
    }

    /**
     * Whether the application may {@linkplain EventQueue#write write} events (FI_WRITE).
     *
     * @param allowed true if so.
     * @return this.
     */
    public EqAttributes writable(final boolean allowed) {
        writable = allowed;
        return this;
    }

    /**
     * How threads wait for it.
     *
     * @param way not MUTEX_COND.
     * @return this.
     */
    public EqAttributes waitObject(final WaitObject way) {
        waitObject = way;
        return this;
    }

    /**
     * Events that it holds at least.
     *
     * @return as given.
     */
    public int size() {
        return size;
    }

    /**
     * Whether the application may write events.
     *
     * @return as given.
     */
    public boolean writable() {
        return writable;
    }

    /**
     * How threads wait for it.
     *
     * @return as given.
     */
    public WaitObject waitObject() {
        return waitObject;
    }
}
