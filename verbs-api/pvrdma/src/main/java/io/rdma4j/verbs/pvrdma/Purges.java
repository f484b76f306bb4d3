/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * The {@link Purge}s of a CQ. The poller forgets those that it is past, and allocates nothing; others add some.
 */
final class Purges {
    private static final Purge[] NONE = {};
    private static final VarHandle ALL;

    static {
        try {
            ALL = MethodHandles.lookup().findVarHandle(Purges.class, "all", Purge[].class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile Purge[] all = NONE;

    boolean isEmpty() {
        return all == NONE;
    }

    int size() {
        return all.length;
    }

    /** Single ones are forgotten when the next one is added. */
    void forgetPast(final long consumed) {
        final Purge[] now = all;
        for (final Purge purge : now) {
            if (!purge.isPast(consumed)) {
                return;
            }
        }
        ALL.compareAndSet(this, now, NONE);
    }

    /** What covers a CQE, or null. */
    Purge find(final int qpHandle, final long position) {
        return find(all, qpHandle, position);
    }

    private static Purge find(final Purge[] purges, final int qpHandle, final long position) {
        for (final Purge purge : purges) {
            if (purge.covers(qpHandle, position)) {
                return purge;
            }
        }
        return null;
    }

    /** There are never more than CQEs to poll, as each is the first that covers one of them. */
    void add(final Purge purge, final CqRing ring, final LongSupplier consumed) {
        Purge[] now;
        Purge[] next;
        do {
            now = all;
            final long position = consumed.getAsLong();
            final Purge[] left = Arrays.stream(now).filter(p -> !p.isPast(position)).toArray(Purge[]::new);
            if (isNeeded(purge, left, ring, position)) {
                next = Arrays.copyOf(left, left.length + 1);
                next[left.length] = purge;
            } else {
                next = left.length == 0 ? NONE : left;
            }
        } while (!ALL.compareAndSet(this, now, next));
    }

    /** Whether the purge covers something that is to be polled and that no other covers. */
    private static boolean isNeeded(
        final Purge purge, final Purge[] others, final CqRing ring, final long from) {
        for (long position = from; !purge.isPast(position); position++) {
            final int qpHandle = ring.qpHandleAt(position);
            if (purge.covers(qpHandle, position) && find(others, qpHandle, position) == null) {
                return true;
            }
        }
        return false;
    }

    /** How many CQEs are covered. */
    int count(final CqRing ring, final long start, final long end) {
        int count = 0;
        final Purge[] now = all;
        for (long position = start; now.length > 0 && position < end; position++) {
            count += find(now, ring.qpHandleAt(position), position) == null ? 0 : 1;
        }
        return count;
    }

    /** Passes over CQEs that nobody will poll any more: the receives of shared queues are used up all the same. */
    void skip(final CqRing ring, final long start, final long end) {
        final Purge[] now = all;
        for (long position = start; now.length > 0 && position < end; position++) {
            final Purge purge = find(now, ring.qpHandleAt(position), position);
            if (purge != null) {
                purge.skip(position, ring.isReceiveAt(position));
            }
        }
    }
}
