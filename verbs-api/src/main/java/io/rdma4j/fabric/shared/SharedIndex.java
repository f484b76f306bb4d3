/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Finds entries by device address: buckets with chains, oldest first. Read without a lock. A chain is changed by one
 * store, so that readers see it before or after, also if the writer dies there; a reader who stands on an entry that is
 * moved may end up in another chain, finds nothing there, and sees by the count of changes that it has to look again.
 */
final class SharedIndex {
    private static final int ATTEMPTS = 4;

    private final UnsafeBuffer bytes;
    private final SharedLayout layout;
    private final SharedEntries entries;

    SharedIndex(final UnsafeBuffer bytes, final SharedLayout layout, final SharedEntries entries) {
        this.bytes = bytes;
        this.layout = layout;
        this.entries = entries;
    }

    /** The handle of the first one; -1 if there is none. */
    long find(final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        for (int i = 0; i < ATTEMPTS; i++) {
            // Meets the releases in changed.
            final long changes = bytes.getLongVolatile(SharedLayout.CHANGES_OFFSET);
            final long found = walk(gidHigh, gidLow, qpn, qkey);
            if (found >= 0 || bytes.getLongVolatile(SharedLayout.CHANGES_OFFSET) == changes) {
                return found;
            }
        }
        return -1;
    }

    private long walk(final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        // Meets the releases in link and unlink.
        int next = bytes.getIntVolatile(bucket(gidHigh, gidLow, qpn));
        for (int steps = 0; isEntry(next) && steps < layout.capacity; steps++) {
            final long handle = entries.match(next - 1, gidHigh, gidLow, qpn, qkey);
            if (handle >= 0) {
                return handle;
            }
            next = bytes.getIntVolatile(layout.entry(next - 1) + SharedLayout.NEXT);
        }
        return -1;
    }

    private boolean isEntry(final int next) {
        return next > 0 && next <= layout.capacity;
    }

    private int bucket(final long gidHigh, final long gidLow, final int qpn) {
        long hash = (gidHigh * 0x9e37_79b9_7f4a_7c15L ^ gidLow) * 0xbf58_476d_1ce4_e5b9L;
        hash = (hash ^ hash >>> 32 ^ qpn) * 0x94d0_49bb_1331_11ebL;
        return layout.bucketsOffset + ((int) (hash >>> 40) & layout.buckets - 1) * Integer.BYTES;
    }

    private int bucketOf(final int place) {
        final int at = layout.entry(place);
        return bucket(bytes.getLong(at + SharedLayout.GID_HIGH), bytes.getLong(at + SharedLayout.GID_LOW),
            bytes.getInt(at + SharedLayout.QPN) & SharedEntries.QPN_MASK);
    }

    /** Before an entry is used again, and after: who reads meanwhile looks again. */
    void changed() {
        bytes.putLongVolatile(SharedLayout.CHANGES_OFFSET, bytes.getLong(SharedLayout.CHANGES_OFFSET) + 1);
    }

    /** Puts an entry behind those that were inserted before it. */
    void link(final int place) {
        final int entry = layout.entry(place);
        final long order = bytes.getLong(entry + SharedLayout.ORDER);
        int at = bucketOf(place);
        int next = bytes.getInt(at);
        for (int steps = 0; isEntry(next) && steps < layout.capacity
            && bytes.getLong(layout.entry(next - 1) + SharedLayout.ORDER) < order; steps++) {
            at = layout.entry(next - 1) + SharedLayout.NEXT;
            next = bytes.getInt(at);
        }
        bytes.putInt(entry + SharedLayout.NEXT, isEntry(next) ? next : 0);
        // Meets the acquire in walk.
        bytes.putIntVolatile(at, place + 1);
    }

    /** What readers find in the entry stays, for those who stand on it. */
    void unlink(final int place) {
        int at = bucketOf(place);
        int next = bytes.getInt(at);
        for (int steps = 0; isEntry(next) && steps < layout.capacity; steps++) {
            if (next == place + 1) {
                // Meets the acquire in walk.
                bytes.putIntVolatile(at, bytes.getInt(layout.entry(place) + SharedLayout.NEXT));
                changed();
                return;
            }
            at = layout.entry(next - 1) + SharedLayout.NEXT;
            next = bytes.getInt(at);
        }
    }

    /** Before entries are linked anew. */
    void clear() {
        changed();
        for (int i = 0; i < layout.buckets; i++) {
            bytes.putIntVolatile(layout.bucketsOffset + i * Integer.BYTES, 0);
        }
    }
}
