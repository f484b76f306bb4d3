/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * Finds places by device address: a hash table of places with open addressing, a third of it free at least. Keys are
 * where the places are; what a slot has room for besides the place is part of the hash, so that a search seldom looks
 * at a key that is not the one. Changed by one thread at a time, read by any: slots never move within a table; a
 * larger table, or one without the marks of what was removed, is made beside the old one and takes its place.
 *
 * <p>Queue keys are compared, but are not in the hash: they may not be known. Of several places with one address the
 * table has the first; the others wait in order beside it.
 */
final class ReverseIndex {
    private static final VarHandle TABLE;
    private static final VarHandle MOVES;
    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(int[].class);
    private static final long NONE = -1;
    private static final long DOUBTFUL = -2;
    private static final int EMPTY = 0;
    private static final int REMOVED = -1;
    private static final int LEAST = 12;
    private static final int MOST_PLACE = Integer.MAX_VALUE - 2;

    static {
        try {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            TABLE = lookup.findVarHandle(ReverseIndex.class, "table", Table.class);
            MOVES = lookup.findVarHandle(ReverseIndex.class, "moves", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Keys keys;
    /** Released with all that is in it; meets the acquire in {@link #find}. */
    private Table table = new Table(LEAST, 0);
    /** How often the first of several places with one address has changed, counted before its slot shows it. */
    private long moves;
    /** Slots that are not empty, and those of them that hold a place. */
    private int used;
    private int live;
    private Map<Key, LinkedHashSet<Integer>> others;

    /** Addresses at places. */
    interface Keys {
        /** The handle of the place if it has this address, else -1; the queue key may be any. */
        long match(int place, long gidHigh, long gidLow, int qpn, long qkey);

        /** The hash of the address there, by {@link #hash}; of places that are in the index. */
        long hashOf(int place);
    }

    private record Key(long gidHigh, long gidLow, int qpn, int qkey) {
    }

    /** Slots: from bit 0 on a place plus 1, above it low bits of the hash. High bits of the hash choose the slot. */
    private static final class Table {
        private final int[] slots;
        private final int mask;

        Table(final int length, final int mostPlace) {
            slots = new int[length];
            // Never all ones with a place in it: that stands for a removed one.
            mask = -1 >>> Integer.numberOfLeadingZeros(mostPlace + 2);
        }

        boolean holds(final int place) {
            return place >= 0 && place + 1 < mask;
        }

        int first(final long hash) {
            return (int) ((hash >>> 32) * slots.length >>> 32);
        }

        int next(final int at) {
            return at + 1 == slots.length ? 0 : at + 1;
        }

        int value(final int place, final long hash) {
            return (int) hash & ~mask | place + 1;
        }

        int place(final int value) {
            return (value & mask) - 1;
        }

        boolean maybe(final int value, final long hash) {
            return value != REMOVED && ((value ^ (int) hash) & ~mask) == 0;
        }

        /** What was in the slot that it went to: {@link #EMPTY} or {@link #REMOVED}. */
        int put(final int value, final long hash) {
            int at = first(hash);
            while (slots[at] != EMPTY && slots[at] != REMOVED) {
                at = next(at);
            }
            final int before = slots[at];
            // Meets the acquire in find: the place is seen with its address.
            SLOT.setRelease(slots, at, value);
            return before;
        }
    }

    ReverseIndex(final Keys keys) {
        this.keys = keys;
    }

    /** Mixes as the finalizer of MurmurHash3 does: its constants. */
    static long hash(final long gidHigh, final long gidLow, final int qpn) {
        long x = gidLow ^ Long.rotateLeft(gidHigh, 29) * 0x9e37_79b9_7f4a_7c15L ^ (long) qpn << 40 ^ qpn;
        x = (x ^ x >>> 33) * 0xff51_afd7_ed55_8ccdL;
        x = (x ^ x >>> 33) * 0xc4ce_b9fe_1a85_ec53L;
        return x ^ x >>> 33;
    }

    /**
     * The handle of the first place with this address; -1 if there is none. With {@link AvStore#ANY_KEY} that of any
     * place with an address that is the same but for the queue key.
     */
    long find(final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        final long hash = hash(gidHigh, gidLow, qpn);
        while (true) {
            final Table now = (Table) TABLE.getAcquire(this);
            // Meets the release in remove: a slot that has changed twice, and looks as before, is told by this.
            final long before = (long) MOVES.getAcquire(this);
            final long found = find(now, hash, gidHigh, gidLow, qpn, qkey);
            if (found >= 0) {
                return found;
            }
            // A table that was replaced meanwhile does not tell what came after it.
            if (now == (Table) TABLE.getAcquire(this)
                && (found == NONE || before == (long) MOVES.getAcquire(this))) {
                return NONE;
            }
        }
    }

    /** As {@link #find}; {@link #DOUBTFUL} if a place that may have had the address has lost it. */
    private long find(
        final Table now, final long hash, final long gidHigh, final long gidLow, final int qpn, final long qkey) {
        final int[] slots = now.slots;
        long absent = NONE;
        int at = now.first(hash);
        while (true) {
            // Meets the release in put and remove.
            final int value = (int) SLOT.getAcquire(slots, at);
            if (value == EMPTY) {
                return absent;
            }
            if (now.maybe(value, hash)) {
                final long handle = keys.match(now.place(value), gidHigh, gidLow, qpn, qkey);
                if (handle >= 0) {
                    return handle;
                }
                if ((int) SLOT.getAcquire(slots, at) != value) {
                    // The next of several with this address may just have come here.
                    continue;
                }
                absent = DOUBTFUL;
            }
            at = now.next(at);
        }
    }

    /** Makes room for so many more, at places up to one. */
    void reserve(final int more, final int mostPlace) {
        final long length = (live + (long) more) * 3 / 2 + LEAST;
        if (length > table.slots.length) {
            // Not in small steps: each one costs as much as there is in it.
            rebuild(Math.max(length, live * 9L / 4), mostPlace);
        }
    }

    /** Has room for one more, which will be at this place. */
    void makeRoom(final int place) {
        final boolean full = used >= table.slots.length - table.slots.length / 3;
        if (full || !table.holds(place)) {
            rebuild(full ? live * 9L / 4 + LEAST : table.slots.length, Math.min(MOST_PLACE / 2, place) * 2);
        }
    }

    /** A place has this address now. */
    void add(final int place, final long gidHigh, final long gidLow, final int qpn, final int qkey) {
        makeRoom(place);
        if (find(gidHigh, gidLow, qpn, Integer.toUnsignedLong(qkey)) >= 0) {
            if (others == null) {
                others = new HashMap<>();
            }
            others.computeIfAbsent(new Key(gidHigh, gidLow, qpn, qkey), key -> new LinkedHashSet<>()).add(place);
            return;
        }
        final long hash = hash(gidHigh, gidLow, qpn);
        used += table.put(table.value(place, hash), hash) == EMPTY ? 1 : 0;
        live++;
    }

    /** A place that still has this address will not have it any more. */
    void remove(final int place, final long gidHigh, final long gidLow, final int qpn, final int qkey) {
        final long hash = hash(gidHigh, gidLow, qpn);
        final int at = slotOf(place, hash);
        final Key key = others == null ? null : new Key(gidHigh, gidLow, qpn, qkey);
        final LinkedHashSet<Integer> waiting = key == null ? null : others.get(key);
        if (waiting == null) {
            take(at);
            return;
        }
        if (at < 0) {
            waiting.remove(place);
        } else {
            final Iterator<Integer> first = waiting.iterator();
            // Before the slot shows it: a reader that sees a later slot sees this too.
            MOVES.setRelease(this, moves + 1);
            // Before the place loses its address, so that the address is found all the time.
            SLOT.setRelease(table.slots, at, table.value(first.next(), hash));
            first.remove();
        }
        if (waiting.isEmpty()) {
            others.remove(key);
            others = others.isEmpty() ? null : others;
        }
    }

    private int slotOf(final int place, final long hash) {
        final int value = table.value(place, hash);
        int at = table.first(hash);
        while (table.slots[at] != EMPTY) {
            if (table.slots[at] == value) {
                return at;
            }
            at = table.next(at);
        }
        return -1;
    }

    /** A mark is left only as long as a search passes it. */
    private void take(final int at) {
        final int[] slots = table.slots;
        live--;
        if (slots[table.next(at)] != EMPTY) {
            SLOT.setRelease(slots, at, REMOVED);
            return;
        }
        int last = at;
        do {
            SLOT.setRelease(slots, last, EMPTY);
            used--;
            last = last == 0 ? slots.length - 1 : last - 1;
        } while (slots[last] == REMOVED);
    }

    private void rebuild(final long length, final int mostPlace) {
        final Table old = table;
        final Table made = new Table((int) Math.min(Integer.MAX_VALUE - 64, length),
            Math.max(mostPlace, old.mask - 2));
        for (final int value : old.slots) {
            if (value != EMPTY && value != REMOVED) {
                final int place = old.place(value);
                final long hash = keys.hashOf(place);
                made.put(made.value(place, hash), hash);
            }
        }
        used = live;
        TABLE.setRelease(this, made);
    }

    long memoryUse() {
        // Roughly what a set in a map takes of each address that is there more than once.
        final long more = others == null ? 0 : others.values().stream().mapToLong(set -> 160 + 72L * set.size()).sum();
        return Memory.of(table.slots) + more;
    }
}
