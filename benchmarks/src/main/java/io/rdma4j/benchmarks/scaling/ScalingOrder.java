/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.benchmarks.scaling;

/** In which order one of many comes after the other: in turn, or at random, as cheap as can be (xorshift). */
final class ScalingOrder {
    private final int count;
    private int turn;
    private long random = 0x9E37_79B9_7F4A_7C15L;

    ScalingOrder(final int count) {
        this.count = count;
    }

    int next(final boolean randomly) {
        if (!randomly) {
            turn = turn + 1 == count ? 0 : turn + 1;
            return turn;
        }
        random ^= random << 13;
        random ^= random >>> 7;
        random ^= random << 17;
        return (int) ((random >>> 32) * count >>> 32);
    }
}
