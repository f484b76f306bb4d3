/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.memory;

import org.agrona.UnsafeApi;

/** Copies between addresses that were checked before. */
final class HostMemory {
    /** Up to here a loop of 8-byte moves is quicker than the call of a copying routine. */
    private static final long SMALL = 128;

    private HostMemory() {
    }

    static void copy(long from, long to, long length) {
        if (length <= SMALL) {
            copySmall(from, to, (int) length);
        } else {
            UnsafeApi.copyMemory(from, to, length);
        }
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
