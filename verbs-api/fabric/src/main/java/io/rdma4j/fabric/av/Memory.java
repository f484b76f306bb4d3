/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

/** What arrays take, with their headers, as HotSpot lays them out with compressed class pointers. */
final class Memory {
    private static final int HEADER = 16;

    private Memory() {
    }

    static long of(final long[] array) {
        return array == null ? 0 : HEADER + (long) Long.BYTES * array.length;
    }

    static long of(final int[] array) {
        return array == null ? 0 : HEADER + (long) Integer.BYTES * array.length;
    }

    static long of(final byte[] array) {
        return array == null ? 0 : HEADER + (long) array.length;
    }

    /** With references of 4 bytes. */
    static long of(final Object[] array) {
        return array == null ? 0 : HEADER + (long) Integer.BYTES * array.length;
    }
}
