/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.endpoint;

/**
 * Which regions the peer's device has in place of one: three longs for each, in order, and the end of the last one.
 *
 * <pre>
 *   3 i      where the piece begins in the region, in bytes
 *   3 i + 1  the device's key
 *   3 i + 2  how the device names the first byte
 *   3 n      length of the region
 * </pre>
 */
final class PieceMap {
    private static final int STRIDE = 3;

    private PieceMap() {
    }

    static long[] of(final int pieces) {
        return new long[STRIDE * pieces + 1];
    }

    static void put(final long[] map, final int piece, final int rkey, final long iova, final long length) {
        map[STRIDE * piece + 1] = rkey;
        map[STRIDE * piece + 2] = iova;
        map[STRIDE * (piece + 1)] = map[STRIDE * piece] + length;
    }

    static long begin(final long[] map, final int piece) {
        return map[STRIDE * piece];
    }

    static int rkey(final long[] map, final int piece) {
        return (int) map[STRIDE * piece + 1];
    }

    static long iova(final long[] map, final int piece) {
        return map[STRIDE * piece + 2];
    }

    /** The piece of a byte of the region. */
    static int find(final long[] map, final long offset) {
        int low = 0;
        int high = map.length / STRIDE - 1;
        while (low < high) {
            final int middle = low + high + 1 >>> 1;
            if (begin(map, middle) <= offset) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    /** In how many pieces some bytes of the region are; there is at least one. */
    static int count(final long[] map, final long offset, final long length) {
        return find(map, offset + length - 1) - find(map, offset) + 1;
    }
}
