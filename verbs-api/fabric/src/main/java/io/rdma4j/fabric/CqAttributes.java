/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** What a completion queue is made with (struct fi_cq_attr). Not thread-safe; read when it is opened. */
public final class CqAttributes {
    private int size;
    private CqFormat format = CqFormat.UNSPEC;
    private WaitObject waitObject = WaitObject.UNSPEC;

    /** The default size, DATA entries, waiting as the provider likes. */
    public CqAttributes() {
        // All fields have their defaults.
    }

    /**
     * Least number of entries. The queue grows with the endpoints that are opened on it.
     *
     * @param entries 0 for a default.
     * @return this.
     */
    public CqAttributes size(final int entries) {
        size = entries;
        return this;
    }

    /**
     * What is written for each completion.
     *
     * @param entries UNSPEC for DATA.
     * @return this.
     */
    public CqAttributes format(final CqFormat entries) {
        format = entries;
        return this;
    }

    /**
     * How threads wait for it.
     *
     * @param way not MUTEX_COND.
     * @return this.
     */
    public CqAttributes waitObject(final WaitObject way) {
        waitObject = way;
        return this;
    }

    /**
     * Least number of entries.
     *
     * @return as given.
     */
    public int size() {
        return size;
    }

    /**
     * What is written for each completion.
     *
     * @return as given.
     */
    public CqFormat format() {
        return format;
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
