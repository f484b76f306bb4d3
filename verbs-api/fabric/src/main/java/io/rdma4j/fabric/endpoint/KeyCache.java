/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.region.DirectoryEntry;
import io.rdma4j.fabric.region.DirectoryLayout;

import java.util.Arrays;

import org.agrona.DirectBuffer;

/**
 * What keys of the peer mean, as last looked up: a hash table of longs with linear probing. It grows up to a limit, and
 * begins anew there. For the thread that uses the endpoint.
 */
final class KeyCache {
    /** Nothing is known. */
    static final int UNKNOWN = 0;
    /** The peer has no such key. */
    static final int MISSING = 4;
    /** The directory could not be read. */
    static final int UNREADABLE = 5;
    private static final int DROPPED = 1;

    private static final int LEAST = 64;
    private static final int MOST = 4096;
    private static final int STRIDE = 8;
    private static final int KEY = 0;
    private static final int STATE = 1;
    private static final int FRESH = 2;
    private static final int KEYS = 3;
    private static final int DEVICE_BASE = 4;
    private static final int LENGTH = 5;
    private static final int FABRIC_BASE = 6;
    private static final int CELL_IOVA = 7;
    private static final int ACCESS_SHIFT = 8;
    private static final int STATE_MASK = 0xff;
    private static final long LOW = 0xffff_ffffL;

    private long[] words = new long[LEAST * STRIDE];
    /** Of regions in pieces, see {@link PieceMap}; else null. */
    private long[][] tables = new long[LEAST][];
    private int mask = LEAST - 1;
    private int used;

    /** Where a key is; negative if it is not there. */
    int find(final long key) {
        int slot = DirectoryLayout.slotOf(key, mask + 1);
        while (true) {
            final int at = slot * STRIDE;
            final int state = (int) words[at + STATE] & STATE_MASK;
            if (state == UNKNOWN) {
                return -1;
            }
            if (words[at + KEY] == key && state != DROPPED) {
                return at;
            }
            slot = slot + 1 & mask;
        }
    }

    int state(final int at) {
        return at < 0 ? UNKNOWN : (int) words[at + STATE] & STATE_MASK;
    }

    int access(final int at) {
        return (int) words[at + STATE] >>> ACCESS_SHIFT;
    }

    /** Whether it was looked up for the operation at hand; once. */
    boolean takeFresh(final int at) {
        final boolean fresh = words[at + FRESH] != 0;
        if (fresh) {
            words[at + FRESH] = 0;
        }
        return fresh;
    }

    int rkey(final int at) {
        return (int) words[at + KEYS];
    }

    int cellRkey(final int at) {
        return (int) (words[at + KEYS] >>> Integer.SIZE);
    }

    long deviceBase(final int at) {
        return words[at + DEVICE_BASE];
    }

    long length(final int at) {
        return words[at + LENGTH];
    }

    long fabricBase(final int at) {
        return words[at + FABRIC_BASE];
    }

    long cellIova(final int at) {
        return words[at + CELL_IOVA];
    }

    /** Where the device has the pieces of a region, see {@link PieceMap}; null if it is one there. */
    long[] pieces(final int at) {
        return tables[at / STRIDE];
    }

    /** Forgets what is at a place; harmless for a negative one. */
    void drop(final int at) {
        if (at >= 0) {
            words[at + STATE] = DROPPED;
        }
    }

    /** Remembers that there is no entry. */
    void putState(final long key, final int state) {
        final int at = place(key);
        Arrays.fill(words, at, at + STRIDE, 0);
        tables[at / STRIDE] = null;
        words[at + KEY] = key;
        words[at + STATE] = state;
        words[at + FRESH] = 1;
    }

    /** Remembers an entry of the directory. */
    void put(final DirectBuffer buffer, final int offset) {
        final long key = DirectoryLayout.key(buffer, offset);
        final int at = place(key);
        tables[at / STRIDE] = null;
        words[at + KEY] = key;
        words[at + STATE] = DirectoryLayout.state(buffer, offset) & STATE_MASK
            | (DirectoryLayout.access(buffer, offset) & STATE_MASK) << ACCESS_SHIFT;
        words[at + FRESH] = 1;
        words[at + KEYS] = DirectoryLayout.rkey(buffer, offset) & LOW
            | (long) DirectoryLayout.cellRkey(buffer, offset) << Integer.SIZE;
        words[at + DEVICE_BASE] = DirectoryLayout.deviceBase(buffer, offset);
        words[at + LENGTH] = DirectoryLayout.length(buffer, offset);
        words[at + FABRIC_BASE] = DirectoryLayout.fabricBase(buffer, offset);
        words[at + CELL_IOVA] = DirectoryLayout.cellIova(buffer, offset);
    }

    /** Remembers a region in pieces, by its key or by a mapped one. */
    void put(final long key, final DirectoryEntry entry, final long[] pieces) {
        final int at = place(key);
        tables[at / STRIDE] = pieces;
        words[at + KEY] = key;
        words[at + STATE] = DirectoryLayout.LIVE | (entry.access() & STATE_MASK) << ACCESS_SHIFT;
        words[at + FRESH] = 1;
        words[at + KEYS] = entry.rkey() & LOW | (long) entry.cellRkey() << Integer.SIZE;
        words[at + DEVICE_BASE] = entry.deviceBase();
        words[at + LENGTH] = entry.length();
        words[at + FABRIC_BASE] = entry.fabricBase();
        words[at + CELL_IOVA] = entry.cellIova();
    }

    private int place(final long key) {
        final int found = find(key);
        if (found >= 0) {
            return found;
        }
        if (2 * (used + 1) > mask + 1) {
            grow();
        }
        int slot = DirectoryLayout.slotOf(key, mask + 1);
        while (words[slot * STRIDE + STATE] != UNKNOWN) {
            slot = slot + 1 & mask;
        }
        used++;
        return slot * STRIDE;
    }

    /** Half of the places are free at least, so that searches end. What was dropped goes; at the limit all goes. */
    private void grow() {
        if (words.length == MOST * STRIDE) {
            Arrays.fill(words, 0);
            Arrays.fill(tables, null);
            used = 0;
            return;
        }
        final long[] old = words;
        mask = Math.min(MOST, 2 * (mask + 1)) - 1;
        words = new long[(mask + 1) * STRIDE];
        final long[][] oldTables = tables;
        tables = new long[mask + 1][];
        used = 0;
        for (int at = 0; at < old.length; at += STRIDE) {
            final int state = (int) old[at + STATE] & STATE_MASK;
            if (state != UNKNOWN && state != DROPPED) {
                final int to = place(old[at + KEY]);
                System.arraycopy(old, at, words, to, STRIDE);
                tables[to / STRIDE] = oldTables[at / STRIDE];
            }
        }
    }
}
