/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.fabric.AvType;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.av.AvEntry;
import io.rdma4j.fabric.av.AvNames;
import java.util.BitSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Changes of a shared vector, by who has locked it. What is under way is noted before it is begun: who locks next, if
 * this process is killed on the way, ends or undoes it, and counts and finds everything anew.
 */
final class SharedChanges {
    private static final int NONE = 0;
    private static final int INSERT = 1;
    private static final int REMOVE = 2;
    /** An entry is in no chain for a moment; {@link SharedIndex#find} goes without the index then. */
    static final int MOVE = 3;
    /** Everything is counted and found anew; the index is left out then, too. */
    static final int ANEW = 4;

    /** A vector doubles until it has so many places, and grows by so many from then on. */
    private static final int MOST_AT_ONCE = 1 << 16;

    private final UnsafeBuffer bytes;
    private final SharedLayout layout;
    private final SharedEntries entries;
    private final SharedIndex index;
    private final SharedOwners owners;
    private final Room room;
    private final int mostLife;

    SharedChanges(
        final SharedMemory memory, final SharedEntries entries, final SharedIndex index, final Room room) {
        bytes = memory.front;
        layout = memory.layout;
        this.entries = entries;
        this.index = index;
        owners = new SharedOwners(memory);
        this.room = room;
        mostLife = mostLife(layout.type, layout.rxCtxBits, layout.base);
    }

    /** Makes holes of the file bytes. */
    interface Room {
        /** Zeros from one place in the file on; false if there is no memory for them. */
        boolean make(long position, long length);
    }

    /** So that names of type MAP, base and all, stay below the bits for receive contexts. */
    static int mostLife(final AvType type, final int rxCtxBits, final long base) {
        final int most = AvNames.mostLife(type == AvType.MAP ? rxCtxBits : 0);
        final long room = (1L << Long.SIZE - 1 - rxCtxBits) - (1L << Integer.SIZE - 1) - base;
        return type == AvType.MAP ? (int) Math.min(most, room < 0 ? 0 : room >>> Integer.SIZE - 1) : most;
    }

    private void begin(final int operation, final int place) {
        bytes.putInt(SharedLayout.UNDER_WAY_PLACE_OFFSET, place);
        bytes.putIntVolatile(SharedLayout.UNDER_WAY_OFFSET, operation);
    }

    private void end() {
        bytes.putIntVolatile(SharedLayout.UNDER_WAY_OFFSET, NONE);
    }

    private void grow(final long by) {
        bytes.putLongVolatile(SharedLayout.SIZE_OFFSET, bytes.getLong(SharedLayout.SIZE_OFFSET) + by);
    }

    SharedOwners owners() {
        return owners;
    }

    /** A handle, or a negated errno. */
    long insert(final AvEntry entry, final int owner) {
        if (entry.length() > SharedLayout.room(layout.format)) {
            return -FiErrno.FI_EMSGSIZE;
        }
        int place = lowestFree();
        if (place < 0 && grow()) {
            place = lowestFree();
        }
        if (place < 0) {
            return -FiErrno.FI_ENOMEM;
        }
        final int last = entries.lastLife(place);
        final int life = last >= mostLife ? 1 : last + 1;
        final long order = bytes.getLong(SharedLayout.NEXT_ORDER_OFFSET);
        begin(INSERT, place);
        index.changed();
        bytes.putLong(SharedLayout.NEXT_ORDER_OFFSET, order + 1);
        entries.put(place, life, order, owner, entry);
        index.link(place);
        taken(place, true);
        owners.add(owner, 1);
        grow(1);
        end();
        return AvNames.handle(place, life);
    }

    void remove(final int place) {
        begin(REMOVE, place);
        index.unlink(place);
        entries.remove(place);
        taken(place, isUsedUp(place));
        owners.add(entries.owner(place), -1);
        grow(-1);
        end();
    }

    void move(final int place, final AvEntry to) {
        bytes.putLong(SharedLayout.MOVE_OFFSET, to.gidHigh());
        bytes.putLong(SharedLayout.MOVE_OFFSET + Long.BYTES, to.gidLow());
        bytes.putInt(SharedLayout.MOVE_OFFSET + 2 * Long.BYTES, SharedEntries.qpnAndKind(to));
        bytes.putInt(SharedLayout.MOVE_OFFSET + 2 * Long.BYTES + Integer.BYTES, to.qkey());
        begin(MOVE, place);
        index.changed();
        index.unlink(place);
        moveAsNoted(place);
        index.link(place);
        end();
    }

    private void moveAsNoted(final int place) {
        entries.move(place, bytes.getLong(SharedLayout.MOVE_OFFSET),
            bytes.getLong(SharedLayout.MOVE_OFFSET + Long.BYTES),
            bytes.getInt(SharedLayout.MOVE_OFFSET + 2 * Long.BYTES),
            bytes.getInt(SharedLayout.MOVE_OFFSET + 2 * Long.BYTES + Integer.BYTES));
        // Whoever sees the count sees the entry.
        bytes.putIntVolatile(SharedLayout.MOVES_OFFSET, bytes.getInt(SharedLayout.MOVES_OFFSET) + 1);
    }

    private boolean isUsedUp(final int place) {
        return layout.type == AvType.MAP && entries.lastLife(place) >= mostLife;
    }

    /** Words below the noted one are full: a vector that is being filled is not searched from its start each time. */
    private int lowestFree() {
        final int words = entries.places() / Long.SIZE;
        final int noted = bytes.getInt(SharedLayout.FIRST_FREE_OFFSET);
        for (int i = noted < 0 || noted > words ? 0 : noted; i < words; i++) {
            final long word = bytes.getLong(SharedLayout.bits(i * Long.SIZE));
            if (word != -1L) {
                bytes.putInt(SharedLayout.FIRST_FREE_OFFSET, i);
                return i * Long.SIZE + Long.numberOfTrailingZeros(~word);
            }
        }
        bytes.putInt(SharedLayout.FIRST_FREE_OFFSET, words);
        return -1;
    }

    /**
     * Makes places. What is not announced yet when this process is killed is made once more by the next one.
     *
     * @return false if there are as many as can be, or there is no memory for more.
     */
    private boolean grow() {
        final int places = entries.places();
        final int more = Math.min(Math.min(places, MOST_AT_ONCE), layout.most - places);
        final int level = index.level();
        final boolean isIndexFull = places + more > 1 << level;
        final int indexBytes = isIndexFull ? SharedLayout.indexBytes(level + 1) : 0;
        if (more == 0 || isIndexFull && !room.make(layout.index(level + 1), indexBytes)
            || !room.make(SharedLayout.bits(places), more / Byte.SIZE)
            || !room.make(layout.position(places), (long) more * layout.entrySize)) {
            return false;
        }
        if (isIndexFull) {
            index.grow();
        }
        bytes.putLong(SharedLayout.USED_OFFSET, bytes.getLong(SharedLayout.USED_OFFSET) + indexBytes + more / Byte.SIZE
            + (long) more * layout.entrySize);
        entries.announce(places + more);
        return true;
    }

    private void taken(final int place, final boolean is) {
        final int at = SharedLayout.bits(place);
        final long bit = 1L << place % Long.SIZE;
        if (!is && place / Long.SIZE < bytes.getInt(SharedLayout.FIRST_FREE_OFFSET)) {
            // First, so that nothing is overlooked if this process is killed here.
            bytes.putIntVolatile(SharedLayout.FIRST_FREE_OFFSET, place / Long.SIZE);
        }
        final long word = bytes.getLong(at);
        bytes.putLong(at, is ? word | bit : word & ~bit);
    }

    /** Takes out what belongs to processes that ended without closing the vector; called with the lock. */
    void reclaim(final IntPredicate isGone) {
        final BitSet gone = owners.gone(isGone);
        if (gone.isEmpty()) {
            return;
        }
        for (int place = 0; place < entries.places(); place++) {
            if (!entries.isFree(place) && gone.get(entries.owner(place))) {
                remove(place);
            }
        }
        // A process that was killed in leave counts one more than there is: it would be searched for each time.
        gone.stream().forEach(owners::forget);
    }

    /** Where it ends is not guessed: who believed a wrong end would fill the machine's memory with zeros. */
    boolean isGood() {
        return layout.places(bytes) >= entries.places() && index.level() >= SharedLayout.level(entries.places());
    }

    /**
     * An owner's addresses stay: also one that a writer was killed in the midst of, and those that one had not counted
     * yet. Of a vector that is damaged nothing is left to anybody. Called with the lock.
     */
    void leave(final int owner) {
        if (isGood()) {
            mend();
            owners.leave(owner);
        }
    }

    /** What a writer that was killed left half-done; called with the lock. */
    void mend() {
        final int operation = bytes.getIntVolatile(SharedLayout.UNDER_WAY_OFFSET);
        if (operation == NONE) {
            return;
        }
        final int place = bytes.getInt(SharedLayout.UNDER_WAY_PLACE_OFFSET);
        if (entries.isPlace(place)) {
            if (operation == REMOVE && !entries.isFree(place)) {
                entries.remove(place);
            } else if (operation == MOVE && (entries.isMoving(place) || !entries.isFree(place))) {
                moveAsNoted(place);
            }
        }
        // Not before: who locks next, if this process is killed here, has to know what was begun.
        begin(ANEW, place);
        countAnew();
        end();
    }

    private void countAnew() {
        index.clear();
        owners.clear();
        for (int place = 0; place < entries.places(); place++) {
            taken(place, !entries.isFree(place) || isUsedUp(place));
        }
        final int[] live = IntStream.range(0, entries.places()).filter(place -> !entries.isFree(place)).toArray();
        bytes.putLongVolatile(SharedLayout.SIZE_OFFSET, live.length);
        IntStream.of(live).forEach(place -> owners.add(entries.owner(place), 1));
        IntStream.of(live).boxed().sorted((a, b) -> Long.compare(entries.order(b), entries.order(a)))
            .forEach(index::link);
        long last = 0;
        for (final int place : live) {
            last = Math.max(last, entries.order(place));
        }
        bytes.putLong(SharedLayout.NEXT_ORDER_OFFSET,
            Math.max(last + 1, bytes.getLong(SharedLayout.NEXT_ORDER_OFFSET)));
        index.changed();
    }
}
