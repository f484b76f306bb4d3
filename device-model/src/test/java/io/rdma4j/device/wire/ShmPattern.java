/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.agrona.UnsafeApi;

/** What is sent to find out whether it arrives: everything follows from a number. */
final class ShmPattern {
    /** Bytes in front of the rest: the number. */
    private static final int NUMBER = Long.BYTES;

    private ShmPattern() {
    }

    /** Mixed: short ones, the longest, and all in between. */
    static int length(final long number) {
        final long mixed = mix(number);
        return switch ((int) (mixed & 3)) {
            case 0 -> 12 + (int) (mixed >>> 8 & 0x3c);
            case 1 -> ShmRing.MAX_FRAME - (int) (mixed >>> 8 & 0x1c);
            default -> 12 + (int) (mixed >>> 8 & 0xfff) & ~3;
        };
    }

    /** Sends one; false if there was no room. */
    static boolean send(final Lane lane, final long number) {
        lane.lock().lock();
        try {
            final int length = length(number);
            final long at = lane.claim(length);
            if (at == 0) {
                return false;
            }
            UnsafeApi.putLong(at, number);
            for (int i = NUMBER; i < length; i += Integer.BYTES) {
                UnsafeApi.putInt(at + i, word(number, i));
            }
            lane.commit((int) number & 0xff, (int) number & 0xfffff, 1 + (int) (number & 0x7f));
            return true;
        } finally {
            lane.lock().unlock();
        }
    }

    static long number(final Frame frame) {
        return UnsafeApi.getLong(frame.address);
    }

    /** That a frame is what was sent under its number. */
    static void check(final Frame frame, final long number) {
        if (UnsafeApi.getLong(frame.body) != number || UnsafeApi.getLong(frame.address) != number
            || frame.length != length(number) || frame.trafficClass != (number & 0xff)
            || frame.flowLabel != (number & 0xfffff) || frame.hopLimit != 1 + (number & 0x7f)) {
            assertThat(UnsafeApi.getLong(frame.body)).as("frame, length %d instead of %d", frame.length,
                length(number)).isEqualTo(number);
            throw new AssertionError("the words about frame " + number + " of length " + frame.length);
        }
        for (int i = NUMBER; i < frame.length; i += Integer.BYTES) {
            final int wanted = word(number, i);
            if (UnsafeApi.getInt(frame.body + i) != wanted
                || i < Frame.OWN && UnsafeApi.getInt(frame.address + i) != wanted) {
                throw new AssertionError("frame " + number + " of length " + frame.length + " differs at " + i);
            }
        }
    }

    private static int word(final long number, final int at) {
        return (int) (number * 31 + at) * 0x9e3779b1;
    }

    private static long mix(final long number) {
        final long product = (number + 1) * 0x9e37_79b9_7f4a_7c15L;
        return product ^ product >>> 29;
    }
}
