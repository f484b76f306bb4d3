/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.shared;

import io.rdma4j.fabric.av.AvEntry;
import java.util.function.Predicate;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * Where peers are now, as one learned who may not write it into the vector: each holds until a writer changes the
 * peer's entry. Immutable, as it is read without a lock; made anew with each peer that moves.
 */
final class OwnMoves {
    private final Int2ObjectHashMap<Move> byPlace = new Int2ObjectHashMap<>();
    /** The last one of a hash, which leads to the others. */
    private final Long2ObjectHashMap<Move> byAddress = new Long2ObjectHashMap<>();

    /** Of the entry with this first word; {@code next} has the same hash, or is null. */
    record Move(int place, long head, long gidHigh, long gidLow, int qpn, int qkey, Move next) {
    }

    private OwnMoves() {
        // Filled in by with.
    }

    /** With one more, in place of an older one; without those that hold no more. Null is none yet. */
    static OwnMoves with(
        final OwnMoves before, final Predicate<Move> holds, final int place, final long head, final AvEntry device) {
        final OwnMoves made = new OwnMoves();
        if (before != null) {
            before.byPlace.values().stream().filter(move -> move.place != place && holds.test(move)).forEach(
                move -> made.add(move.place, move.head, move.gidHigh, move.gidLow, move.qpn, move.qkey));
        }
        made.add(place, head, device.gidHigh(), device.gidLow(), device.qpn(), device.qkey());
        return made;
    }

    private void add(final int place, final long head, final long gidHigh, final long gidLow, final int qpn,
        final int qkey) {
        final long hash = hash(gidHigh, gidLow, qpn);
        final Move move = new Move(place, head, gidHigh, gidLow, qpn, qkey, byAddress.get(hash));
        byPlace.put(place, move);
        byAddress.put(hash, move);
    }

    private static long hash(final long gidHigh, final long gidLow, final int qpn) {
        return (gidHigh * 31 + gidLow) * 31 + qpn;
    }

    /** Null if the entry with this first word has not moved. */
    Move at(final int place, final long head) {
        final Move move = byPlace.get(place);
        return move != null && move.head == head ? move : null;
    }

    /** The first of those that may have moved there; null if none has. */
    Move to(final long gidHigh, final long gidLow, final int qpn) {
        return byAddress.get(hash(gidHigh, gidLow, qpn));
    }
}
