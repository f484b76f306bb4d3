/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.traffic;

import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class PatternTest {
    private static final int OFFSET = 40;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 8, 9, 15, 16, 63, 64, 65, 1000})
    void everyBitOfEveryByteCounts(final int length) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[OFFSET + length]);
        Pattern.fill(buffer, OFFSET, length, 17);
        assertThat(Pattern.firstDifference(buffer, OFFSET, length, 17)).isEqualTo(Pattern.NONE);
        for (int i = 0; i < length; i++) {
            final byte right = buffer.getByte(OFFSET + i);
            assertThat(right & 0xff).isEqualTo(Pattern.byteAt(i, 17));
            buffer.putByte(OFFSET + i, (byte) (right ^ 1 << i % 8));
            assertThat(Pattern.firstDifference(buffer, OFFSET, length, 17)).isEqualTo(i);
            buffer.putByte(OFFSET + i, right);
        }
    }

    @Test
    void writesNothingBesidesTheMessage() {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[32]);
        Pattern.fill(buffer, 8, 13, 1234567);
        for (int i = 0; i < 32; i++) {
            if (i < 8 || i >= 21) {
                assertThat(buffer.getByte(i)).as("byte %d", i).isZero();
            }
        }
    }

    @Test
    void neighboursDifferInTheirFirstByte() {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[1]);
        for (long iteration = 0; iteration < 500; iteration++) {
            for (final boolean reply : new boolean[] {false, true}) {
                final long message = Pattern.messageNumber(iteration, reply);
                Pattern.fill(buffer, 0, 1, message);
                for (int other = 1; other < 256; other++) {
                    assertThat(Pattern.firstDifference(buffer, 0, 1, message + other)).isZero();
                }
            }
        }
    }

    @Test
    void shiftedMessageDiffers() {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[128]);
        Pattern.fill(buffer, 0, 128, 5);
        for (int shift = 1; shift < 64; shift++) {
            for (long message = 0; message < 10; message++) {
                assertThat(Pattern.firstDifference(buffer, shift, 64, message)).isNotEqualTo(Pattern.NONE);
            }
        }
    }
}
