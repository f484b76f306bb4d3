/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.roce;

import static java.nio.ByteOrder.BIG_ENDIAN;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Datagram extended transport header.
 *
 * <pre>
 *    0               4       5               8
 *   +---------------+-------+---------------+
 *   |     Q_Key     |   0   |   source QP   |
 *   +---------------+-------+---------------+
 * </pre>
 */
public final class Deth {
    /** Bytes of the header. */
    public static final int LENGTH = 8;
    private static final int SOURCE_OFFSET = 4;
    private static final int LOW_24 = 0xff_ffff;

    private Deth() {
    }

    /**
     * Writes a whole header.
     *
     * @param b        buffer
     * @param base     where the header begins
     * @param qkey     queue key
     * @param sourceQp queue pair that sends, 24 bits
     */
    public static void put(UnsafeBuffer b, int base, int qkey, int sourceQp) {
        b.putInt(base, qkey, BIG_ENDIAN);
        b.putInt(base + SOURCE_OFFSET, sourceQp & LOW_24, BIG_ENDIAN);
    }

    /**
     * {@return the queue key}
     *
     * @param b    buffer
     * @param base where the header begins
     */
    public static int qkey(UnsafeBuffer b, int base) {
        return b.getInt(base, BIG_ENDIAN);
    }

    /**
     * {@return the queue pair that sent it, 24 bits}
     *
     * @param b    buffer
     * @param base where the header begins
     */
    public static int sourceQp(UnsafeBuffer b, int base) {
        return b.getInt(base + SOURCE_OFFSET, BIG_ENDIAN) & LOW_24;
    }
}
