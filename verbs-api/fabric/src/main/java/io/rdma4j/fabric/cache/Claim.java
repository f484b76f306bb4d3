/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.cache;

import java.util.ArrayList;
import java.util.List;

/** A registration that is under way: what it is for, and whether its memory has changed since it began. */
final class Claim {
    final Range range;
    final Object root;
    /** What was asked for. */
    final int access;
    /** Whether the owner was found by the address. */
    final boolean isAdopted;
    /** Retired, and to be closed once no lock is held. */
    final List<Entry> toClose = new ArrayList<>();
    /** Whether the range is subscribed at the monitor. */
    boolean subscribed;
    /** Whether it is registered on demand: neither an owner nor the monitor stands for its pages. */
    boolean onDemand;
    /** Another thread's entry for the same memory that came first; in use. */
    Entry winner;
    private boolean changed;

    Claim(final Range range, final Object root, final int access, final boolean isAdopted) {
        this.range = range;
        this.root = root;
        this.access = access;
        this.isAdopted = isAdopted;
    }

    /** Guarded by {@link CacheEntries}. */
    void change() {
        changed = true;
    }

    /** Guarded by {@link CacheEntries}. */
    boolean isChanged() {
        return changed;
    }
}
