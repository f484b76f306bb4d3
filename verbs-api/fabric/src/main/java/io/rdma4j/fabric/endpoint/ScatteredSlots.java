/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

import io.rdma4j.fabric.FiErrno;
import io.rdma4j.fabric.completion.OpRing;
import io.rdma4j.verbs.SendRequest;

/**
 * Operations on regions that the peer's device has in pieces, by slot: a work request for each piece. So they need more
 * room in the send queue than others, which is counted while there are any. For the thread that uses the endpoint.
 */
final class ScatteredSlots {
    /** Of any other operation: itself, and what counts it. */
    private static final int USUAL = 2;

    private final OpRing ring;
    private final SlotBuffers buffers;
    /** See {@link PieceMap}; null for other operations. */
    private final long[][] maps;
    /** Without the place of what looks keys up. */
    private final int room;
    /** Whether any may be under way. */
    private boolean some;

    ScatteredSlots(final OpRing ring, final SlotBuffers buffers, final int slots, final int queueLength) {
        this.ring = ring;
        this.buffers = buffers;
        this.maps = new long[slots][];
        this.room = queueLength - 1;
    }

    void keep(final int slot, final long[] map) {
        if (map != null || maps[slot] != null) {
            maps[slot] = map;
            some |= map != null;
        }
    }

    boolean has(final int slot) {
        return maps[slot] != null;
    }

    /** Whether operations in pieces leave no room for a usual one. */
    boolean isCrowded() {
        return some && isCrowded(USUAL);
    }

    private boolean isCrowded(final int more) {
        int sum = more;
        boolean found = false;
        int slot = ring.first();
        for (int left = ring.size(); left > 0; left--) {
            if (ring.isUnderWay(slot)) {
                final long[] map = maps[slot];
                sum += map == null ? USUAL
                    : requests(map, ring.getLong(slot, OpRing.IOVA), ring.getLong(slot, OpRing.LENGTH));
                found |= map != null;
            }
            slot = ring.next(slot);
        }
        some = found;
        return sum > room;
    }

    /** With the one that counts. */
    private static int requests(final long[] map, final long offset, final long length) {
        return PieceMap.count(map, offset, length) + 1;
    }

    /** 0, or why an operation on what was found cannot be posted now. */
    int check(final RemoteMemory remote, final long length) {
        if (remote.pieces == null) {
            return 0;
        }
        final int requests = requests(remote.pieces, remote.iova, length);
        if (requests > room) {
            return -FiErrno.FI_EMSGSIZE;
        }
        return isCrowded(requests) ? -FiErrno.FI_EAGAIN : 0;
    }

    /** Fills in the part that begins behind so many bytes; how many bytes it has. */
    int name(final SendRequest request, final int slot, final RmaOperation operation, final int from) {
        final long[] map = maps[slot];
        final long length = ring.getLong(slot, OpRing.LENGTH);
        final long at = ring.getLong(slot, OpRing.IOVA) + from;
        final int piece = PieceMap.find(map, at);
        final int bytes = (int) Math.min(length - from, PieceMap.begin(map, piece + 1) - at);
        request.opcode(from + bytes == length ? operation.opcode : operation.before)
            .remote(PieceMap.iova(map, piece) + at - PieceMap.begin(map, piece), PieceMap.rkey(map, piece))
            .clearSges();
        buffers.addTo(request.sges(), slot, length, from, bytes);
        return bytes;
    }
}
