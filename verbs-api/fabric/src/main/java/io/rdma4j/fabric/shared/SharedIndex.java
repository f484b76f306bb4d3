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
 *
 * <p>One that is made anew is empty at first, and an entry that is moved is in no chain between two of them. It stays
 * so if the writer dies there: readers look at all places meanwhile.
 *
 * <p>An index for more places is made elsewhere in the file, and then shown. Readers who stand in the old one find it
 * as it was.
 */
final class SharedIndex {
    /** Behind these all places are looked at: that takes its time, and changes hardly ever come as often as this. */
    private static final int ATTEMPTS = 16;

    private final UnsafeBuffer bytes;
    private final SharedLayout layout;
    private final SharedEntries entries;

    SharedIndex(final SharedMemory memory, final SharedEntries entries) {
        bytes = memory.front;
        layout = memory.layout;
        this.entries = entries;
    }

    /** The handle of the first one; -1 if there is none. */
    long find(final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        for (int i = 0; i < ATTEMPTS; i++) {
            // Meets the releases in changed.
            final long changes = bytes.getLongVolatile(SharedLayout.CHANGES_OFFSET);
            if (isPartial()) {
                break;
            }
            final int level = level();
            final long found = level < 0 ? -1 : walk(level, gidHigh, gidLow, qpn, qkey);
            // Also where something was found: of two names of one peer an index that is made anew has the second first.
            if (bytes.getLongVolatile(SharedLayout.CHANGES_OFFSET) == changes) {
                return found;
            }
        }
        return search(gidHigh, gidLow, qpn, qkey);
    }

    /** Looked at between the count of changes and the buckets: who comes before it is noted sees another count then. */
    private boolean isPartial() {
        // Meets the release in begin of SharedChanges, which is before those of clear and unlink.
        final int underWay = bytes.getIntVolatile(SharedLayout.UNDER_WAY_OFFSET);
        return underWay == SharedChanges.ANEW || underWay == SharedChanges.MOVE;
    }

    /** Without the index. An entry whose number is another one's by now has a higher one: it is not the first. */
    private long search(final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        final int places = entries.places();
        long first = -1;
        long least = Long.MAX_VALUE;
        for (int place = 0; place < places; place++) {
            final long handle = entries.match(place, gidHigh, gidLow, qpn, qkey);
            if (handle >= 0 && (first < 0 || entries.order(place) < least)) {
                first = handle;
                least = entries.order(place);
            }
        }
        return first;
    }

    /** Which one is in use; -1 if the file is damaged. */
    int level() {
        // Meets the release in grow.
        return SharedLayout.checked(bytes.getLongVolatile(SharedLayout.LEVEL_OFFSET), SharedLayout.FIRST_LEVEL,
            SharedLayout.level(layout.most));
    }

    private long walk(final int level, final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        // Meets the releases in link and unlink.
        int next = bytes.getIntVolatile(bucket(level, hash(gidHigh, gidLow, qpn)));
        for (int steps = 0; isEntry(level, next) && steps < 1 << level; steps++) {
            final long handle = entries.match(next - 1, gidHigh, gidLow, qpn, qkey);
            if (handle >= 0) {
                return handle;
            }
            next = bytes.getIntVolatile(next(level, next - 1));
        }
        return -1;
    }

    private boolean isEntry(final int level, final int next) {
        return next > 0 && next <= 1 << level && entries.isPlace(next - 1);
    }

    private static int hash(final long gidHigh, final long gidLow, final int qpn) {
        long hash = (gidHigh * 0x9e37_79b9_7f4a_7c15L ^ gidLow) * 0xbf58_476d_1ce4_e5b9L;
        hash = (hash ^ hash >>> 32 ^ qpn) * 0x94d0_49bb_1331_11ebL;
        return (int) (hash >>> Integer.SIZE);
    }

    private int hashOf(final int place) {
        return hash(entries.gidHigh(place), entries.gidLow(place), entries.qpn(place));
    }

    private int bucket(final int level, final int hash) {
        return layout.index(level) + (hash & (1 << level) - 1) * Integer.BYTES;
    }

    private int next(final int level, final int place) {
        return layout.index(level) + (1 << level) * Integer.BYTES + place * Integer.BYTES;
    }

    /** Before an entry is used again, and after: who reads meanwhile looks again. */
    void changed() {
        bytes.putLongVolatile(SharedLayout.CHANGES_OFFSET, bytes.getLong(SharedLayout.CHANGES_OFFSET) + 1);
    }

    /** Puts an entry behind those that were inserted before it. */
    void link(final int place) {
        final int level = level();
        final long order = entries.order(place);
        int at = bucket(level, hashOf(place));
        int next = bytes.getInt(at);
        for (int steps = 0; isEntry(level, next) && steps < 1 << level && entries.order(next - 1) < order; steps++) {
            at = next(level, next - 1);
            next = bytes.getInt(at);
        }
        bytes.putInt(next(level, place), isEntry(level, next) ? next : 0);
        // Meets the acquire in walk.
        bytes.putIntVolatile(at, place + 1);
    }

    /** What readers find in the entry stays, for those who stand on it. */
    void unlink(final int place) {
        final int level = level();
        int at = bucket(level, hashOf(place));
        int next = bytes.getInt(at);
        for (int steps = 0; isEntry(level, next) && steps < 1 << level; steps++) {
            if (next == place + 1) {
                // Meets the acquire in walk.
                bytes.putIntVolatile(at, bytes.getInt(next(level, place)));
                changed();
                return;
            }
            at = next(level, next - 1);
            next = bytes.getInt(at);
        }
    }

    /** Before entries are linked anew. */
    void clear() {
        changed();
        final int level = level();
        for (int i = 0; i < 1 << level; i++) {
            bytes.putIntVolatile(bucket(level, i), 0);
        }
    }

    /** Makes the index of the next level, whose bytes are zero, and shows it: each chain becomes two, in its order. */
    void grow() {
        final int level = level();
        int left = 1 << level;
        for (int i = 0; i < 1 << level; i++) {
            left = split(level, i, left);
        }
        // Meets the acquire in level.
        bytes.putLongVolatile(SharedLayout.LEVEL_OFFSET, SharedLayout.checked(level + 1));
        changed();
    }

    /** How many entries are left: no more than there can be, whatever damage leads in circles. */
    private int split(final int level, final int bucket, final int most) {
        int low = bucket(level + 1, bucket);
        int high = bucket(level + 1, bucket | 1 << level);
        int left = most;
        int next = bytes.getInt(bucket(level, bucket));
        while (isEntry(level, next) && left > 0) {
            final int place = next - 1;
            if ((hashOf(place) & 1 << level) == 0) {
                bytes.putInt(low, next);
                low = next(level + 1, place);
            } else {
                bytes.putInt(high, next);
                high = next(level + 1, place);
            }
            next = bytes.getInt(next(level, place));
            left--;
        }
        bytes.putInt(low, 0);
        bytes.putInt(high, 0);
        return left;
    }
}
