/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

/** Messages that wait, oldest first, by their first slots; each is in one list at most. */
final class SlotList {
    private Slot oldest;
    private Slot newest;
    private int size;

    int size() {
        return size;
    }

    /** The others follow by {@link Slot#newer}; null if there is none. */
    Slot oldest() {
        return oldest;
    }

    void add(final Slot first) {
        first.older = newest;
        first.newer = null;
        if (newest == null) {
            oldest = first;
        } else {
            newest.newer = first;
        }
        newest = first;
        size++;
    }

    void remove(final Slot first) {
        if (first.older == null) {
            oldest = first.newer;
        } else {
            first.older.newer = first.newer;
        }
        if (first.newer == null) {
            newest = first.older;
        } else {
            first.newer.older = first.older;
        }
        first.older = null;
        first.newer = null;
        size--;
    }
}
