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
        receive.older = newest;
        receive.newer = null;
        if (newest == null) {
            oldest = receive;
        } else {
            newest.newer = receive;
        }
        newest = receive;
        size++;
    }

    /** Before all others. */
    void addFirst(final Receive receive) {
        receive.older = null;
        receive.newer = oldest;
        if (oldest == null) {
            newest = receive;
        } else {
            oldest.older = receive;
        }
        oldest = receive;
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
