/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.tools.foreign;

import java.nio.ByteBuffer;

/**
 * What a side of perftest tells of a bandwidth test of one-sided operations, each field by itself: eight bytes, big
 * endian. Its clock may be unknown to it, so the figures may be infinite or no numbers.
 *
 * @param bytes      of a message.
 * @param iterations messages.
 * @param peak       fastest stretch, in 2^20 bytes a second.
 * @param average    all of it, in 2^20 bytes a second.
 * @param rate       millions of messages a second.
 */
public record PerftestReport(long bytes, long iterations, double peak, double average, double rate) {
    static final int FIELDS = 5;

    long[] words() {
        return new long[] {bytes, iterations, Double.doubleToRawLongBits(peak), Double.doubleToRawLongBits(average),
            Double.doubleToRawLongBits(rate)};
    }

    static PerftestReport of(final long[] words) {
        int at = 0;
        return new PerftestReport(words[at++], words[at++], Double.longBitsToDouble(words[at++]),
            Double.longBitsToDouble(words[at++]), Double.longBitsToDouble(words[at]));
    }

    static byte[] toBytes(final long word) {
        return ByteBuffer.allocate(Long.BYTES).putLong(word).array();
    }
}
