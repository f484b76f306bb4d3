/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.ibv;

import io.rdma4j.RdmaException;

import java.util.BitSet;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Owners of queues, by what their completions carry, see {@link WireId}. */
final class Owners<T> {
    private static final int INDEX_MASK = (1 << WireId.INDEX_BITS) - 1;
    private static final int LIFE_MASK = (1 << WireId.LIFE_BITS) - 1;

    private final BitSet used = new BitSet();
    private volatile AtomicReferenceArray<Entry<T>> entries = new AtomicReferenceArray<>(64);
    private int lives;

    /** One of them, and his number; without him when he was removed. */
    static final class Entry<T> {
        final int owner;
        private volatile T value;

        private Entry(final int owner, final T value) {
            this.owner = owner;
            this.value = value;
        }

        /** Null if he was removed. */
        T value() {
            return value;
        }
    }

    /** What is never in a table. */
    static <T> Entry<T> nobody() {
        return new Entry<>(-1, null);
    }

    /** Adds somebody. */
    synchronized int add(final T value) {
        final int index = used.nextClearBit(0);
        if (index > INDEX_MASK) {
            throw RdmaException.of("create queue").detail("there are %d of them", index)
                .errno(RdmaException.ENOMEM).build();
        }
        if (index >= entries.length()) {
            grow();
        }
        used.set(index);
        final int owner = (lives++ & LIFE_MASK) << WireId.INDEX_BITS | index;
        entries.set(index, new Entry<>(owner, value));
        return owner;
    }

    private void grow() {
        final AtomicReferenceArray<Entry<T>> more = new AtomicReferenceArray<>(2 * entries.length());
        for (int i = 0; i < entries.length(); i++) {
            more.set(i, entries.get(i));
        }
        entries = more;
    }

    synchronized void remove(final int owner) {
        final int index = owner & INDEX_MASK;
        final Entry<T> entry = entries.get(index);
        if (entry != null && entry.owner == owner) {
            entry.value = null;
            entries.set(index, null);
            used.clear(index);
        }
    }

    /** Who that is; null if it is not there. */
    T get(final int owner) {
        final Entry<T> entry = entry(owner);
        return entry == null ? null : entry.value;
    }

    /** The same, to be kept by whoever is asked for one many times. */
    Entry<T> entry(final int owner) {
        final AtomicReferenceArray<Entry<T>> all = entries;
        final int index = owner & INDEX_MASK;
        final Entry<T> entry = index < all.length() ? all.get(index) : null;
        return entry != null && entry.owner == owner ? entry : null;
    }
}
