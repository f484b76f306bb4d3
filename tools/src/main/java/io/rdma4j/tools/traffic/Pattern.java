/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/**
 * The content of messages. Every word depends on its place, on the message's number and on its direction, so that a
 * message that is stale, shifted, cut or mixed up with another differs from what is expected; neighbouring messages
 * differ in their first byte already.
 */
final class Pattern {
    /** What {@link #firstDifference} answers when there is none. */
    static final int NONE = -1;
    private static final long PLACE = 0x9e37_79b9_7f4a_7c15L;
    private static final long MESSAGE = 0xbf58_476d_1ce4_e5b9L;

    private Pattern() {
    }

    /**
     * Number of a message within both directions.
     *
     * @param iteration which round trip, from 0.
     * @param reply     false on the way out, true on the way back.
     * @return a number that no other message has.
     */
    static long messageNumber(final long iteration, final boolean reply) {
        return 2 * iteration + (reply ? 1 : 0);
    }

    static void fill(final UnsafeBuffer buffer, final int offset, final int length, final long message) {
        long word = word(message);
        final int tail = offset + (length & ~7);
        for (int at = offset; at < tail; at += Long.BYTES) {
            buffer.putLong(at, word, ByteOrder.LITTLE_ENDIAN);
            word += PLACE;
        }
        for (int at = tail; at < offset + length; at++) {
            buffer.putByte(at, (byte) word);
            word >>>= Byte.SIZE;
        }
    }

    /**
     * Compares a message with what it should be, to its last byte.
     *
     * @param buffer  where it is.
     * @param offset  its first byte.
     * @param length  its length.
     * @param message its number.
     * @return place of the first byte that differs, from 0; {@link #NONE} if all agree.
     */
    static int firstDifference(final UnsafeBuffer buffer, final int offset, final int length, final long message) {
        long word = word(message);
        final int tail = offset + (length & ~7);
        for (int at = offset; at < tail; at += Long.BYTES) {
            final long difference = buffer.getLong(at, ByteOrder.LITTLE_ENDIAN) ^ word;
            if (difference != 0) {
                return at - offset + Long.numberOfTrailingZeros(difference) / Byte.SIZE;
            }
            word += PLACE;
        }
        for (int at = tail; at < offset + length; at++) {
            if (buffer.getByte(at) != (byte) word) {
                return at - offset;
            }
            word >>>= Byte.SIZE;
        }
        return NONE;
    }

    /** The first eight bytes of a message; other ones for each. */
    static long word(final long message) {
        return message * MESSAGE;
    }

    /** What is wrong with a byte, for messages to people. */
    static String describe(
        final UnsafeBuffer buffer, final int offset, final int length, final long message, final int place) {
        return String.format("byte %d of %d is 0x%02x instead of 0x%02x", place, length,
            buffer.getByte(offset + place) & 0xff, byteAt(place, message));
    }

    /** The byte that belongs at a place; slow, for messages to people. */
    static int byteAt(final int place, final long message) {
        final long word = word(message) + place / Long.BYTES * PLACE;
        return (int) (word >>> place % Long.BYTES * Byte.SIZE) & 0xff;
    }
}
