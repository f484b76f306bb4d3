/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import java.lang.invoke.VarHandle;

import org.agrona.UnsafeApi;

/**
 * Copies between addresses that were checked before. The last eight bytes become visible after all others: programs
 * look at the end of their memory to see whether an RDMA WRITE came, and real devices have taught them that they may.
 */
public final class HostMemory {
    /** Up to here moves of 8 bytes are quicker than the call of a copying routine. */
    private static final long SMALL = 128;
    /** A copying routine is no safepoint: all threads that are to stop would wait for the end of a longer one. */
    private static final long PIECE = 1 << 20;
    private static final int BLOCK = 4 * Long.BYTES;

    private HostMemory() {
    }

    /**
     * Copies; the two may overlap.
     *
     * @param from   address of the first byte.
     * @param to     where it goes.
     * @param length bytes, not negative.
     */
    public static void copy(long from, long to, long length) {
        final long body = length - Long.BYTES;
        if (body < 0) {
            VarHandle.releaseFence();
            copyBytes(from, to, (int) length);
            return;
        }
        // Read before anything is written: the two may overlap.
        final long end = UnsafeApi.getLong(from + body);
        if (body <= SMALL && Math.abs(to - from) >= length) {
            copyWords(from, to, (int) body);
        } else if (body <= PIECE || Math.abs(to - from) < length) {
            UnsafeApi.copyMemory(from, to, body);
        } else {
            copyPieces(from, to, body);
        }
        VarHandle.releaseFence();
        UnsafeApi.putLong(to + body, end);
    }

    private static void copyPieces(long from, long to, long length) {
        long done = 0;
        while (done < length) {
            final long piece = Math.min(PIECE, length - done);
            UnsafeApi.copyMemory(from + done, to + done, piece);
            done += piece;
        }
    }

    private static void copyBytes(long from, long to, int length) {
        if (Math.abs(to - from) < length) {
            UnsafeApi.copyMemory(from, to, length);
            return;
        }
        for (int i = 0; i < length; i++) {
            UnsafeApi.putByte(to + i, UnsafeApi.getByte(from + i));
        }
    }

    /** Blocks, then what is left of one by halves, then single bytes. */
    private static void copyWords(long from, long to, int length) {
        int at = 0;
        for (; at <= length - BLOCK; at += BLOCK) {
            copyBlock(from + at, to + at);
        }
        if ((length & 2 * Long.BYTES) != 0) {
            copyWord(from + at, to + at);
            copyWord(from + at + Long.BYTES, to + at + Long.BYTES);
            at += 2 * Long.BYTES;
        }
        if ((length & Long.BYTES) != 0) {
            copyWord(from + at, to + at);
            at += Long.BYTES;
        }
        for (; at < length; at++) {
            UnsafeApi.putByte(to + at, UnsafeApi.getByte(from + at));
        }
    }

    private static void copyBlock(long from, long to) {
        final long first = UnsafeApi.getLong(from);
        final long second = UnsafeApi.getLong(from + Long.BYTES);
        final long third = UnsafeApi.getLong(from + 2 * Long.BYTES);
        final long fourth = UnsafeApi.getLong(from + 3 * Long.BYTES);
        UnsafeApi.putLong(to, first);
        UnsafeApi.putLong(to + Long.BYTES, second);
        UnsafeApi.putLong(to + 2 * Long.BYTES, third);
        UnsafeApi.putLong(to + 3 * Long.BYTES, fourth);
    }

    private static void copyWord(long from, long to) {
        UnsafeApi.putLong(to, UnsafeApi.getLong(from));
    }
}
