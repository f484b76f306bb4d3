/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

/** Receives that are posted, oldest first; each is in one list at most. */
final class ReceiveList {
    private Receive oldest;
    private Receive newest;
    private int size;

    int size() {
        return size;
    }

    /** The others follow by {@link Receive#newer}; null if there is none. */
    Receive oldest() {
        return oldest;
    }

    void add(final Receive receive) {
        addBehind(receive, newest);
    }

    /** One whose turn has come before: behind those that were posted before it. */
    void addAgain(final Receive receive) {
        Receive before = null;
        Receive after = oldest;
        while (after != null && after.sequence < receive.sequence) {
            before = after;
            after = after.newer;
        }
        addBehind(receive, before);
    }

    /** At the beginning behind none. */
    private void addBehind(final Receive receive, final Receive before) {
        final Receive after = before == null ? oldest : before.newer;
        receive.older = before;
        receive.newer = after;
        if (before == null) {
            oldest = receive;
        } else {
            before.newer = receive;
        }
        if (after == null) {
            newest = receive;
        } else {
            after.older = receive;
        }
        size++;
    }

    /** The oldest one with this context; null if there is none. */
    Receive find(final long context) {
        Receive receive = oldest;
        while (receive != null && receive.context != context) {
            receive = receive.newer;
        }
        return receive;
    }

    Receive remove(final Receive receive) {
        if (receive.older == null) {
            oldest = receive.newer;
        } else {
            receive.older.newer = receive.newer;
        }
        if (receive.newer == null) {
            newest = receive.older;
        } else {
            receive.newer.older = receive.older;
        }
        receive.older = null;
        receive.newer = null;
        size--;
        return receive;
    }
}
