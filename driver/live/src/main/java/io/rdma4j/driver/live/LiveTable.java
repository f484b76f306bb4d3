/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * The writing side of a table. Places that were freed longest ago are used first, and new ones before those as long as
 * few are free: who writes late, after it should have let go, then hits a place that nobody uses yet. Thread-safe; each
 * place has one writer at a time.
 */
final class LiveTable {
    private static final int NO_PLACE = -1;
    private static final int REST = 64;

    private final LiveMemory memory;
    private final LiveLayout.Table table;
    private final UnsafeBuffer index;
    private final AtomicLong tickets = new AtomicLong();
    private final Deque<Integer> free = new ArrayDeque<>();
    private int unused;

    LiveTable(final LiveMemory memory, final LiveLayout.Table table) {
        this.memory = memory;
        this.table = table;
        this.index = memory.buffer(table.index(), (long) table.room() * Long.BYTES);
    }

    /** Takes a place; it is not seen before {@link #end}. */
    synchronized int take() {
        if (unused < table.room() && (free.size() < REST || free.isEmpty())
            && memory.require(table.at(unused), table.stride())) {
            return unused++;
        }
        return free.isEmpty() ? NO_PLACE : free.removeFirst();
    }

    static boolean isPlace(final int place) {
        return place != NO_PLACE;
    }

    UnsafeBuffer buffer(final int place, final int offset, final int length) {
        return memory.buffer(table.at(place) + offset, length);
    }

    /** Readers that are at it find out that the place changes; what follows is not seen before that. */
    long begin(final int place) {
        final long ticket = 2 * tickets.incrementAndGet();
        index.putLongOpaque(place * Long.BYTES, ticket - 1);
        VarHandle.releaseFence();
        return ticket;
    }

    /** Released after the place was written: meets the acquire between a reader's look at the index and the place. */
    void end(final int place, final long ticket) {
        index.putLongRelease(place * Long.BYTES, ticket);
    }

    /** Nobody sees the place any more; what follows is not seen before that. */
    void hide(final int place) {
        index.putLongOpaque(place * Long.BYTES, 0);
        VarHandle.releaseFence();
    }

    synchronized void free(final int place) {
        free.addLast(place);
    }
}
