/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.driver.live;

import io.rdma4j.base.LiveKind;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.agrona.concurrent.UnsafeBuffer;

/** What the bytes of a place mean. They are copies, and may be anything. */
final class LiveDecoder {
    private LiveDecoder() {
    }

    static boolean isOf(final LiveKind kind, final UnsafeBuffer place) {
        return place.getInt(LiveLayout.KIND_OFFSET, LITTLE_ENDIAN) == kind.code();
    }

    /** An object of a kind. How many numbers it has follows from the kind, whatever the place says. */
    static LiveObject object(final LiveKind kind, final UnsafeBuffer place) {
        final long[] attributes = new long[kind.attributes().size()];
        final int written = Math.min(attributes.length, Math.min(LiveLayout.ATTRIBUTES_MAX,
            place.getInt(LiveLayout.ATTRIBUTE_COUNT_OFFSET, LITTLE_ENDIAN)));
        for (int i = 0; i < written; i++) {
            attributes[i] = place.getLong(LiveLayout.ATTRIBUTES_OFFSET + i * Long.BYTES, LITTLE_ENDIAN);
        }
        final long[] counters = new long[kind.counters().size()];
        for (int i = 0; i < counters.length; i++) {
            counters[i] = place.getLong(LiveLayout.OBJECT_COUNTERS_OFFSET + i * Long.BYTES, LITTLE_ENDIAN);
        }
        return new LiveObject(kind, place.getLong(LiveLayout.ID_OFFSET, LITTLE_ENDIAN),
            place.getInt(LiveLayout.HANDLE_OFFSET, LITTLE_ENDIAN), attributes, counters);
    }

    static LiveCommand command(final UnsafeBuffer place) {
        return new LiveCommand(place.getLong(LiveLayout.NUMBER_OFFSET, LITTLE_ENDIAN),
            place.getLong(LiveLayout.BEGAN_OFFSET, LITTLE_ENDIAN),
            place.getLong(LiveLayout.TOOK_OFFSET, LITTLE_ENDIAN),
            place.getInt(LiveLayout.ERR_OFFSET, LITTLE_ENDIAN),
            exchange(place, LiveLayout.REQUEST_OFFSET, LiveLayout.REQUEST_LENGTH_OFFSET),
            exchange(place, LiveLayout.RESPONSE_OFFSET, LiveLayout.RESPONSE_LENGTH_OFFSET));
    }

    private static byte[] exchange(final UnsafeBuffer place, final int at, final int lengthAt) {
        final byte[] bytes = new byte[limit(place.getInt(lengthAt, LITTLE_ENDIAN), LiveLayout.EXCHANGE_MAX)];
        place.getBytes(at, bytes);
        return bytes;
    }

    /** Null if the numbers are no segment's. */
    static LiveSegment segment(final UnsafeBuffer place) {
        final long iova = place.getLong(LiveLayout.IOVA_OFFSET, LITTLE_ENDIAN);
        final long length = place.getLong(LiveLayout.SEGMENT_LENGTH_OFFSET, LITTLE_ENDIAN);
        final long offset = place.getLong(LiveLayout.FILE_OFFSET_OFFSET, LITTLE_ENDIAN);
        if (length <= 0 || offset < 0 || offset > Long.MAX_VALUE - length
            || Long.compareUnsigned(iova, iova + length - 1) > 0) {
            return null;
        }
        return new LiveSegment(iova, place.getLong(LiveLayout.SEGMENT_ADDRESS_OFFSET, LITTLE_ENDIAN), length,
            place.getInt(LiveLayout.DESCRIPTOR_OFFSET, LITTLE_ENDIAN), offset);
    }

    private static int limit(final int length, final int max) {
        return Math.max(0, Math.min(length, max));
    }

    /** Up to the first zero; without characters that would upset a terminal. */
    static String text(final UnsafeBuffer from, final int at, final int length) {
        final byte[] bytes = new byte[length];
        from.getBytes(at, bytes);
        int end = 0;
        while (end < length && bytes[end] != 0) {
            end++;
        }
        return new String(Arrays.copyOf(bytes, end), StandardCharsets.UTF_8).replaceAll("\\p{Cc}", "?");
    }
}
