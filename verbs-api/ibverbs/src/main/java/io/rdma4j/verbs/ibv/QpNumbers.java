/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import org.agrona.collections.Int2ObjectHashMap;

/** QPs by their numbers, for completions of receives from a shared queue. Written seldom, read without a lock. */
final class QpNumbers {
    private volatile Int2ObjectHashMap<IbvQp> byNumber = new Int2ObjectHashMap<>();

    synchronized void add(final IbvQp qp) {
        final Int2ObjectHashMap<IbvQp> next = new Int2ObjectHashMap<>(byNumber);
        next.put(qp.qpNumber(), qp);
        byNumber = next;
    }

    synchronized void remove(final IbvQp qp) {
        final Int2ObjectHashMap<IbvQp> next = new Int2ObjectHashMap<>(byNumber);
        next.remove(qp.qpNumber(), qp);
        byNumber = next;
    }

    /** Null if there is none. */
    IbvQp get(final int number) {
        return byNumber.get(number);
    }
}
