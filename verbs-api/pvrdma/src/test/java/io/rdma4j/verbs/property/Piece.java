/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.property;

import io.rdma4j.verbs.MemoryRegion;

import java.util.ArrayList;
import java.util.List;

/**
 * Bytes of one side, inside of one of its regions.
 *
 * @param offset in the side's memory.
 * @param length bytes, possibly none.
 * @param region that they lie in.
 */
record Piece(int offset, int length, MemoryRegion region) {
    /** How work requests name its first byte. */
    long address(final Side side) {
        return region.iova() + (offset - side.offsetOf(region));
    }

    /** Pieces of the given sizes anywhere in the side's regions; fewer or shorter ones where regions are small. */
    static List<Piece> anywhere(final Side side, final Choices choices, final int longest) {
        final List<Piece> pieces = new ArrayList<>();
        final int count = choices.between(1, Side.MAX_SGE);
        for (int i = 0; i < count; i++) {
            pieces.add(anyPiece(side, choices, longest));
        }
        return pieces;
    }

    static Piece anyPiece(final Side side, final Choices choices, final int longest) {
        final MemoryRegion region = side.any(choices);
        final int length = choices.below((int) Math.min(region.length(), longest) + 1);
        return new Piece(side.offsetOf(region) + choices.below((int) region.length() - length + 1), length, region);
    }

    static int length(final List<Piece> pieces) {
        return pieces.stream().mapToInt(Piece::length).sum();
    }

    /** Whether the order in which bytes are written could be told from the result. */
    static boolean overlap(final List<Piece> pieces) {
        for (int i = 0; i < pieces.size(); i++) {
            for (int k = i + 1; k < pieces.size(); k++) {
                if (pieces.get(i).meets(pieces.get(k))) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean meets(final Piece other) {
        return offset < other.offset + other.length && other.offset < offset + length;
    }

    /** Gathers the model's bytes. */
    static byte[] gather(final Side side, final List<Piece> pieces) {
        final byte[] bytes = new byte[length(pieces)];
        int at = 0;
        for (final Piece piece : pieces) {
            side.model.getBytes(piece.offset, bytes, at, piece.length);
            at += piece.length;
        }
        return bytes;
    }

    /** Scatters bytes into the model, as far as they go. */
    static void scatter(final Side side, final List<Piece> pieces, final byte[] bytes) {
        int at = 0;
        for (final Piece piece : pieces) {
            final int length = Math.min(piece.length, bytes.length - at);
            side.model.putBytes(piece.offset, bytes, at, length);
            at += length;
        }
    }
}
