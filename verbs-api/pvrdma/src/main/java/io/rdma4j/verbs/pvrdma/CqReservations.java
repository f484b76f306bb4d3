/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Who completes into a CQ, and whether all of it fits. Guarded by its CQ. */
final class CqReservations {
    private int capacity;
    private final List<CqUse> uses = new ArrayList<>();

    CqReservations(final int capacity) {
        this.capacity = capacity;
    }

    /**
     * Adds a use.
     *
     * @param use   the new one.
     * @param stale entries that completions of closed QPs take until they are polled.
     * @return what is wrong with it, or null if it was added.
     */
    String add(final CqUse use, final int stale) {
        final int reserved = reserved(null);
        final int needed = use.reserves ? reserved(use) - reserved : 0;
        if (needed > 0 && reserved + needed + stale > capacity) {
            return describe(use, needed, reserved, stale);
        }
        uses.add(use);
        return null;
    }

    private String describe(final CqUse use, final int needed, final int reserved, final int stale) {
        final StringBuilder text = new StringBuilder()
            .append(capacity).append(" entries cannot hold ").append(needed).append(" more (")
            .append(use.sends).append(" sends, ");
        if (use.srq == null) {
            text.append(use.receives).append(" receives)");
        } else {
            text.append(use.srq.maxWr()).append(" receives of ").append(use.srq).append(')');
        }
        text.append(" beside ").append(reserved).append(" reserved for ").append(uses.size()).append(" QPs");
        if (stale > 0) {
            text.append(" and ").append(stale).append(" left by closed QPs");
        }
        return text.toString();
    }

    void capacity(final int newCapacity) {
        capacity = newCapacity;
    }

    /**
     * What is wrong with another size.
     *
     * @param count   entries that there would be.
     * @param stale   entries that completions of closed QPs take until they are polled.
     * @param pending all entries that completions take.
     * @return null if that is possible.
     */
    String objection(final int count, final int stale, final int pending) {
        final int reserved = reserved(null);
        if (pending > count) {
            return count + " entries cannot hold the " + pending + " completions that are in the queue";
        }
        if (reserved + stale > count) {
            return count + " entries cannot hold the " + reserved + " reserved for " + uses
                + (stale > 0 ? " and " + stale + " left by closed QPs" : "");
        }
        return null;
    }

    void remove(final CqUse use) {
        uses.remove(use);
    }

    boolean isEmpty() {
        return uses.isEmpty();
    }

    /** Entries that nobody needs; none while somebody has not said how many it does. */
    int slack() {
        for (final CqUse use : uses) {
            if (!use.reserves) {
                return 0;
            }
        }
        return unreserved();
    }

    /** Entries that the reservations leave; never below 0, as none is taken that does not fit. */
    int unreserved() {
        return capacity - reserved(null);
    }

    /** Entries that are spoken for, with one more use or none; a shared queue's receives complete once each. */
    private int reserved(final CqUse another) {
        final Set<PvrdmaSrq> srqs = new HashSet<>();
        long sum = 0;
        for (final CqUse use : uses) {
            sum += reservedBy(use, srqs);
        }
        sum += another == null ? 0 : reservedBy(another, srqs);
        return (int) Math.min(sum, Integer.MAX_VALUE / 2);
    }

    private static long reservedBy(final CqUse use, final Set<PvrdmaSrq> counted) {
        if (!use.reserves) {
            return 0;
        }
        final int shared = use.srq != null && counted.add(use.srq) ? use.srq.maxWr() : 0;
        return (long) use.sends + use.receives + shared;
    }

    @Override
    public String toString() {
        return reserved(null) + "/" + capacity + " reserved by " + uses;
    }
}
