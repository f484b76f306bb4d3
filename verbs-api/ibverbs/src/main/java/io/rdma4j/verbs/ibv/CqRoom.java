/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Room in a CQ: what QPs reserved, and what is left there by those that are closed. Thread-safe. */
final class CqRoom {
    private final List<CqUse> uses = new ArrayList<>();
    private int capacity;
    /** Completions that nobody wants, until a poll has found the queue empty: that takes no lock. */
    private final AtomicInteger stale = new AtomicInteger();

    CqRoom(final int capacity) {
        this.capacity = capacity;
    }

    /** What is wrong with one use more; null if it was added. */
    synchronized String add(final CqUse use) {
        final long before = reserved(null);
        final long needed = use.reserves() ? reserved(use) - before : 0;
        if (needed > 0 && before + needed + stale() > capacity) {
            return capacity + " entries cannot hold " + needed + " more (" + use + ") beside " + before
                + " reserved for " + uses.size() + " QPs"
                + (stale() > 0 ? " and " + stale + " left by closed QPs" : "");
        }
        uses.add(use);
        return null;
    }

    synchronized void remove(final CqUse use, final int left) {
        uses.remove(use);
        stale.addAndGet(left);
        if (use.srq() != null && use.reserves() && uses.stream().noneMatch(other -> other.srq() == use.srq())) {
            // Nobody reserves room for these any more, and some of them may be here.
            stale.addAndGet(use.srq().outstanding());
        }
    }

    /** What may be in the queue from the former life of a QP. */
    void left(final int count) {
        stale.addAndGet(count);
    }

    boolean hasStale() {
        return stale() > 0;
    }

    int stale() {
        return stale.get();
    }

    /** A poll that began after these had been left has found the queue empty. */
    void gone(final int count) {
        stale.addAndGet(-count);
    }

    /** Whether a full load of all would overflow the queue. */
    synchronized boolean isTight() {
        return reserved(null) + stale() > capacity;
    }

    synchronized String objection(final int count) {
        final long before = reserved(null);
        return before > 0 && before + stale() > count ? count + " entries cannot hold the " + before + " reserved for "
            + uses + (stale() > 0 ? " and " + stale + " left by closed QPs" : "") : null;
    }

    synchronized void capacity(final int count) {
        capacity = count;
    }

    synchronized boolean isEmpty() {
        return uses.isEmpty();
    }

    private long reserved(final CqUse another) {
        final Set<IbvSrq> counted = new HashSet<>();
        long sum = another == null ? 0 : reservedBy(another, counted);
        for (final CqUse use : uses) {
            sum += reservedBy(use, counted);
        }
        return sum;
    }

    private static long reservedBy(final CqUse use, final Set<IbvSrq> counted) {
        if (!use.reserves()) {
            return 0;
        }
        final int shared = use.srq() != null && counted.add(use.srq()) ? use.srq().maxWr() : 0;
        return (long) use.sends() + use.receives() + shared;
    }

    @Override
    public synchronized String toString() {
        return reserved(null) + "/" + capacity + " reserved by " + uses + ", " + stale + " stale";
    }
}
