/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.fabric.OperationKind;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Operations and pieces that can be under way in one endpoint, as two free-lists: which peer is slow is nothing to the
 * others. A piece is registered memory for a header and a short message; some are kept for what channels tell each
 * other.
 */
final class SendTable {
    static final int NONE = -1;

    private final SlotArea area;
    private final int reserve;
    private final int probe;
    private final SendOp[] ops;
    private final Channel[] channels;
    private final SendOp[] pieceOps;
    private final int[] freePieces;
    private int freeCount;
    private SendOp freeOps;
    private SendOp oldest;
    private SendOp newest;
    private int claimedOps;

    /**
     * Makes the table.
     *
     * @param area     memory of the pieces, and of one more.
     * @param ops      operations.
     * @param iovLimit buffers of each.
     * @param reserve  pieces that are for {@link #claimControl} only.
     */
    SendTable(final SlotArea area, final int ops, final int iovLimit, final int reserve) {
        this.area = area;
        this.reserve = reserve;
        this.ops = new SendOp[ops];
        // The last one is not for pieces: all probes are sent from there.
        final int pieces = area.count() - 1;
        this.probe = pieces;
        Header.write(area.buffer(), offset(probe), Header.PROBE, 0, 0, 0, 0);
        Header.message(area.buffer(), offset(probe), 0, 0);
        Header.counts(area.buffer(), offset(probe), 0, 0);
        this.channels = new Channel[pieces];
        this.pieceOps = new SendOp[pieces];
        this.freePieces = new int[pieces];
        for (int i = pieces - 1; i >= 0; i--) {
            freePieces[freeCount++] = i;
        }
        for (int i = ops - 1; i >= 0; i--) {
            this.ops[i] = new SendOp(i, iovLimit);
            this.ops[i].next = freeOps;
            this.ops[i].free = true;
            freeOps = this.ops[i];
        }
    }

    /** An unused operation; null if all are under way. */
    SendOp claimOp(final OperationKind kind, final long context, final boolean reported) {
        final SendOp op = freeOps;
        if (op == null) {
            return null;
        }
        freeOps = op.next;
        op.free = false;
        claimedOps++;
        append(op);
        return op.clear(kind, context, reported);
    }

    private void append(final SendOp op) {
        op.next = null;
        op.previous = newest;
        if (newest == null) {
            oldest = op;
        } else {
            newest.next = op;
        }
        newest = op;
    }

    private void remove(final SendOp op) {
        if (op.previous == null) {
            oldest = op.next;
        } else {
            op.previous.next = op.next;
        }
        if (op.next == null) {
            newest = op.previous;
        } else {
            op.next.previous = op.previous;
        }
    }

    /**
     * What began first of all that is under way, and {@link SendOp#next} from there what began after it: in which order
     * they end, if they all do.
     */
    SendOp oldest() {
        return oldest;
    }

    boolean hasOp() {
        return freeOps != null;
    }

    void giveBack(final SendOp op) {
        op.letGo();
        op.channel = null;
        remove(op);
        op.next = freeOps;
        op.free = true;
        freeOps = op;
        claimedOps--;
    }

    int claimedOps() {
        return claimedOps;
    }

    int opCount() {
        return ops.length;
    }

    SendOp op(final int index) {
        return ops[index];
    }

    boolean hasPiece() {
        return freeCount > reserve;
    }

    int claimPiece(final SendOp op) {
        return freeCount <= reserve ? NONE : claim(op.channel, op);
    }

    int claimControl(final Channel channel) {
        return freeCount == 0 ? NONE : claim(channel, null);
    }

    private int claim(final Channel channel, final SendOp op) {
        final int piece = freePieces[--freeCount];
        channels[piece] = channel;
        pieceOps[piece] = op;
        return piece;
    }

    void giveBackPiece(final int piece) {
        channels[piece] = null;
        pieceOps[piece] = null;
        freePieces[freeCount++] = piece;
    }

    int freePieces() {
        return freeCount;
    }

    int pieceCount() {
        return freePieces.length;
    }

    /** The number of what probes are sent from: the same for all channels, as they say nothing. */
    int probe() {
        return probe;
    }

    /** Whose it is; null for a piece that is not under way. */
    Channel channelOf(final int piece) {
        return piece < 0 || piece >= channels.length ? null : channels[piece];
    }

    /** Of which operation it is; null for what channels tell each other. */
    SendOp opOf(final int piece) {
        return pieceOps[piece];
    }

    UnsafeBuffer buffer() {
        return area.buffer();
    }

    int offset(final int piece) {
        return piece * area.stride();
    }

    long address(final int piece) {
        return area.address() + offset(piece);
    }

    int lkey() {
        return area.lkey();
    }

    /** Payload that fits behind a header. */
    int room() {
        return area.stride() - Header.LENGTH;
    }

    @Override
    public String toString() {
        return claimedOps + " of " + ops.length + " operations, " + (freePieces.length - freeCount) + " of "
            + freePieces.length + " pieces under way";
    }
}
