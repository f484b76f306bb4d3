/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import io.rdma4j.driver.memory.Payloads;
import io.rdma4j.fabric.FiErrno;
import io.rdma4j.verbs.ReturnCode;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Messages that go out on one channel: one at a time is cut into pieces, as far as the peer's window goes. */
final class Outbound {
    private final Channel channel;
    private final SendTable table;
    private final Window window;
    private final Wire wire;
    private int pieceBytes;
    private int copied;
    /** What is being cut; null for none. */
    private SendOp current;
    private int sequence;
    private int underWay;

    Outbound(final Channel channel, final SendTable table, final Window window, final Wire wire) {
        this.channel = channel;
        this.table = table;
        this.window = window;
        this.wire = wire;
    }

    /** The peer's slots are known. */
    void open(final int bytes) {
        pieceBytes = bytes;
        copied = Math.min(bytes, table.room());
    }

    /** Pieces that were sent; wraps around. */
    int sequence() {
        return sequence;
    }

    boolean isBusy() {
        return current != null;
    }

    /** No operation is under way. */
    boolean isIdle() {
        return current == null && underWay == 0;
    }

    /** 0, or why no message can be sent now. */
    int check() {
        return current == null && window.credits() > 0 && table.hasPiece() ? 0 : -FiErrno.FI_EAGAIN;
    }

    /** Sends a message, after {@link #check}. Not 0: it was not taken, and is the caller's. */
    int start(final SendOp op) {
        op.channel = channel;
        if (op.total <= copied) {
            return copy(op);
        }
        current = op;
        underWay++;
        advance();
        if (op.isFirst() && current == op) {
            current = null;
            underWay--;
            return -FiErrno.FI_EAGAIN;
        }
        return 0;
    }

    /** A short message is copied behind its header. */
    private int copy(final SendOp op) {
        final int piece = table.claimPiece(op);
        if (!op.copyTo(table.buffer(), table.offset(piece) + Header.LENGTH)) {
            table.giveBackPiece(piece);
            return -FiErrno.FI_EFAULT;
        }
        return sendCopied(op, piece);
    }

    /** As {@link #start}, from a buffer that may be on the heap, and is used no more after the call. */
    int inject(final SendOp op, final DirectBuffer from, final int offset, final int length) {
        op.channel = channel;
        op.total = length;
        final int piece = table.claimPiece(op);
        if (!Payloads.copy(from, offset, length, table.buffer(), table.offset(piece) + Header.LENGTH)) {
            table.giveBackPiece(piece);
            return -FiErrno.FI_EFAULT;
        }
        return sendCopied(op, piece);
    }

    private int sendCopied(final SendOp op, final int piece) {
        header(op, piece, Header.FIRST | Header.LAST);
        final int code = wire.send(piece, table.address(piece), Header.LENGTH + op.total, table.lkey());
        if (code != ReturnCode.OK) {
            table.giveBackPiece(piece);
            return refused(code);
        }
        channel.cut(op);
        op.underWay = 1;
        underWay++;
        sent();
        return 0;
    }

    private int refused(final int code) {
        if (code != ReturnCode.QUEUE_FULL) {
            channel.broken("posting a send failed: " + code);
        }
        return -FiErrno.FI_EAGAIN;
    }

    private void header(final SendOp op, final int piece, final int flags) {
        final UnsafeBuffer to = table.buffer();
        final int at = table.offset(piece);
        Header.write(to, at, Header.DATA, op.flagsAndIndex | flags, window.due(), op.index, op.tag);
        Header.message(to, at, op.total, op.data);
        Header.counts(to, at, sequence, 0);
    }

    private void sent() {
        window.use();
        window.told();
        sequence++;
    }

    /** Goes on with what is being cut, as far as it goes now. */
    void advance() {
        while (current != null && window.credits() > 0) {
            final int piece = table.claimPiece(current);
            if (piece == SendTable.NONE) {
                channel.wants();
                return;
            }
            if (!cut(current, piece)) {
                table.giveBackPiece(piece);
                return;
            }
        }
    }

    private boolean cut(final SendOp op, final int piece) {
        final int length = op.nextPiece(pieceBytes);
        final boolean last = op.isLast(length);
        header(op, piece, (op.isFirst() ? Header.FIRST : 0) | (last ? Header.LAST : 0));
        final int code = wire.gather(piece, table.address(piece), table.lkey(), op.deviceAddress(), length, op.lkey());
        if (code != ReturnCode.OK) {
            if (code != ReturnCode.QUEUE_FULL) {
                channel.broken("posting a piece failed: " + code);
            } else {
                channel.wants();
            }
            return false;
        }
        op.advance(length);
        op.underWay++;
        sent();
        if (last) {
            channel.cut(op);
            current = null;
        }
        return true;
    }

    /** A piece is at the peer; true if the operation is over. */
    boolean done(final SendOp op) {
        op.underWay--;
        if (op.cut && op.underWay == 0) {
            underWay--;
            return true;
        }
        return false;
    }

    /** What was under way fails; the channel is of no use any more. */
    void end() {
        current = null;
        underWay = 0;
    }

    @Override
    public String toString() {
        return sequence + " pieces sent, " + underWay + " messages under way, " + window
            + (current == null ? "" : ", cutting " + current);
    }
}
