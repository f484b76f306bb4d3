/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.conformance;

import java.util.Random;

/** Messages cut into pieces at random places; pieces may be empty. */
final class Pieces {
    /** Takes one piece. */
    @FunctionalInterface
    interface Taker {
        /**
         * Takes it.
         *
         * @param piece  its number.
         * @param start  place of its first byte in the message.
         * @param length bytes, 0 or more.
         */
        void take(int piece, int start, int length);
    }

    private Pieces() {
    }

    static void split(final Random random, final int length, final int count, final Taker taker) {
        final int[] cuts = random.ints(Math.max(0, count - 1L), 0, length + 1).sorted().toArray();
        int start = 0;
        for (int i = 0; i < count; i++) {
            final int end = i < cuts.length ? cuts[i] : length;
            taker.take(i, start, end - start);
            start = end;
        }
    }
}
