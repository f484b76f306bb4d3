/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.rdm;

import java.nio.ByteOrder;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * What stands in front of each piece, little endian. It comes from the peer: nothing of it is trusted.
 *
 * <pre>
 *   0      1      2             4             6             8
 *  +------+------+-------------+-------------+-------------+
 *  | type | flags|  rx index   |   credits   |  operation  |
 *  +------+------+-------------+-------------+-------------+
 *  |       message length      |           data            |
 *  +---------------------------+---------------------------+
 *  |   pieces sent before it   |  pieces received          |
 *  +---------------------------+---------------------------+
 *  |                  tag, 0 without one                   |
 *  +-------------------------------------------------------+
 *  HELLO: rx index = contexts, message length = bytes of a slot, data = slots, pieces sent = version;
 *  flags: 8 if it takes tagged messages, 16 if it tells of deliveries
 *  DELIVERED: operation = the one of the message, data = 0 or what was wrong with its receive, an errno
 * </pre>
 */
final class Header {
    static final int LENGTH = 32;
    /** A piece of a message. */
    static final int DATA = 1;
    /** Gives credits back, and nothing else. */
    static final int CREDIT = 2;
    /** The first on each connection, both ways. */
    static final int HELLO = 3;
    /** Nothing is under way here: may the connection be closed? */
    static final int BYE = 4;
    /** It may; the other side closes it, too. */
    static final int BYE_OK = 5;
    /** Something is under way. */
    static final int BYE_NO = 6;
    /** Says nothing: the sender's device finds out by it whether the peer is there. */
    static final int PROBE = 7;
    /** A message is with the application. */
    static final int DELIVERED = 8;

    /** The message begins. */
    static final int FIRST = 1;
    /** The message is complete. */
    static final int LAST = 2;
    /** It carries 32 bits for the completion. */
    static final int HAS_DATA = 4;
    /** It has a tag; of a HELLO: tagged messages are taken. */
    static final int TAGGED = 8;
    /** The sender wants to be told when the application has it; of a HELLO: who asks is told. */
    static final int DELIVERY = 16;
    static final int ALL_FLAGS = FIRST | LAST | HAS_DATA | TAGGED | DELIVERY;
    /** What the peer has to understand, and says so in its HELLO. */
    static final int AGREED_FLAGS = TAGGED | DELIVERY;

    static final int VERSION = 1;
    static final int MOST_CREDITS = 0xffff;

    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final int OPERATION = 48;
    private static final int SECOND = 8;
    private static final int THIRD = 16;
    private static final int FOURTH = 24;
    private static final int BYTE = 0xff;
    private static final int SHORT = 0xffff;
    private static final long INT = 0xffff_ffffL;

    private Header() {
    }

    static void write(
        final UnsafeBuffer to, final int at, final int type, final int flagsAndIndex, final int credits,
        final int operation, final long tag) {
        to.putLong(at, type & BYTE | (flagsAndIndex & INT) << Byte.SIZE | (long) (credits & SHORT) << Integer.SIZE
            | (long) operation << OPERATION, ORDER);
        to.putLong(at + FOURTH, tag, ORDER);
    }

    static void message(final UnsafeBuffer to, final int at, final int length, final int data) {
        to.putLong(at + SECOND, length & INT | (long) data << Integer.SIZE, ORDER);
    }

    static void counts(final UnsafeBuffer to, final int at, final int sent, final int received) {
        to.putLong(at + THIRD, sent & INT | (long) received << Integer.SIZE, ORDER);
    }

    /** What {@link #write} takes as one. */
    static int flagsAndIndex(final int flags, final int rxIndex) {
        return flags | rxIndex << Byte.SIZE;
    }

    static long first(final UnsafeBuffer from, final int at) {
        return from.getLong(at, ORDER);
    }

    static int type(final long first) {
        return (int) first & BYTE;
    }

    static int flags(final long first) {
        return (int) first >>> Byte.SIZE & BYTE;
    }

    static int rxIndex(final long first) {
        return (int) first >>> Short.SIZE;
    }

    static int credits(final long first) {
        return (int) (first >>> Integer.SIZE) & SHORT;
    }

    static int operation(final long first) {
        return (int) (first >>> OPERATION);
    }

    static int length(final UnsafeBuffer from, final int at) {
        return from.getInt(at + SECOND, ORDER);
    }

    static int data(final UnsafeBuffer from, final int at) {
        return from.getInt(at + SECOND + Integer.BYTES, ORDER);
    }

    static long tag(final UnsafeBuffer from, final int at) {
        return from.getLong(at + FOURTH, ORDER);
    }

    static int sent(final UnsafeBuffer from, final int at) {
        return from.getInt(at + THIRD, ORDER);
    }

    static int received(final UnsafeBuffer from, final int at) {
        return from.getInt(at + THIRD + Integer.BYTES, ORDER);
    }
}
