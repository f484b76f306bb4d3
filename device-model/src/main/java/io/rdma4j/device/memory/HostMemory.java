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
final class HostMemory {
    /** Up to here a loop of 8-byte moves is quicker than the call of a copying routine. */
    private static final long SMALL = 128;

    private HostMemory() {
    }

    static void copy(long from, long to, long length) {
        final long body = length - Long.BYTES;
        if (body < 0) {
            VarHandle.releaseFence();
            copySmall(from, to, (int) length);
            return;
        }
        // Read before anything is written: the two may overlap.
        final long end = UnsafeApi.getLong(from + body);
        if (body <= SMALL) {
            copySmall(from, to, (int) body);
        } else {
            UnsafeApi.copyMemory(from, to, body);
        }
        VarHandle.releaseFence();
        UnsafeApi.putLong(to + body, end);
    }

    private static void copySmall(long from, long to, int length) {
        int i = 0;
        if (to <= from || to >= from + length) {
            for (; i <= length - Long.BYTES; i += Long.BYTES) {
                UnsafeApi.putLong(to + i, UnsafeApi.getLong(from + i));
            }
            for (; i < length; i++) {
                UnsafeApi.putByte(to + i, UnsafeApi.getByte(from + i));
            }
        } else {
            UnsafeApi.copyMemory(from, to, length);
        }
    }
}
