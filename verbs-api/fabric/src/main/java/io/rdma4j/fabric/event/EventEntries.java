/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.event;

import io.rdma4j.fabric.EventEntry;

import java.util.ArrayDeque;

/** Events in their order, as many as memory has room for; there those that are in it stay. For one thread at a time. */
final class EventEntries {
    private ArrayDeque<EventEntry> entries;
    /** So many need no more memory. */
    private int room;

    EventEntries(final int room) {
        this.room = room;
        entries = new ArrayDeque<>(room);
    }

    void add(final EventEntry entry) {
        if (entries.size() == room) {
            grow();
        }
        entries.add(entry);
    }

    /** Before it has to: an ArrayDeque that finds no memory to grow takes itself for empty. */
    private void grow() {
        final ArrayDeque<EventEntry> larger = new ArrayDeque<>(2 * room);
        larger.addAll(entries);
        entries = larger;
        room *= 2;
    }

    EventEntry peek() {
        return entries.peek();
    }

    EventEntry poll() {
        return entries.poll();
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    int size() {
        return entries.size();
    }

    void clear() {
        entries.clear();
    }
}
