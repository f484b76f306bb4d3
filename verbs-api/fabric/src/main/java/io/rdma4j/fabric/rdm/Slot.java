/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

/**
 * Where a piece is received; it stays here until a receive of the application takes it. Made with the channel. The
 * first piece of a message stands for the message while that waits.
 */
final class Slot {
    static final int NOBODY = -1;

    final Channel channel;
    final int index;
    /** Of the header, in the channel's memory. */
    final int offset;
    /** Bytes behind the header. */
    int bytes;
    /** Whose sender waits until the application has the message, of its last piece; or {@link #NOBODY}. */
    int operation;
    /** What was wrong with the receive that took it, an errno; or 0. */
    int outcome;
    /** The following piece of the same message. */
    Slot nextPiece;

    // Of the first piece only.
    Slot lastPiece;
    /** Where it waits. */
    Matcher context;
    /** Of the messages that wait in one receive context. */
    Slot older;
    Slot newer;
    int messageLength;
    int data;
    boolean hasData;
    boolean complete;
    // Of a tagged one.
    boolean tagged;
    long tag;
    /** Of those whose tags hash alike. */
    Slot chainOlder;
    Slot chainNewer;
    /** Only the receive with this context takes it. */
    boolean claimed;
    long claim;
    /** It was claimed, and will never be complete: that receive is told. */
    boolean isCut;

    Slot(final Channel channel, final int index, final int offset) {
        this.channel = channel;
        this.index = index;
        this.offset = offset;
    }

    void first(final int length, final boolean carriesData, final int itsData, final boolean last) {
        messageLength = length;
        hasData = carriesData;
        data = itsData;
        complete = last;
        lastPiece = this;
        nextPiece = null;
        tagged = false;
    }

    void append(final Slot piece, final boolean last) {
        piece.nextPiece = null;
        lastPiece.nextPiece = piece;
        lastPiece = piece;
        complete = last;
    }
}
