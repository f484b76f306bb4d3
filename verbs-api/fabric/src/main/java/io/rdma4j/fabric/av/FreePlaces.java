/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import java.util.Arrays;

/**
 * Which places are taken, as a tree of bits: one of each place, above them one for each 64 that are all taken, and so
 * on. The lowest free place is found in one step per level, four for 16 million. Changed by one thread at a time.
 */
final class FreePlaces {
    private static final int SHIFT = 6;
    private static final long FULL = -1L;

    /** From places up; the last one is a single word. */
    private long[][] levels = {new long[1]};

    /** Takes the lowest free place. */
    int take() {
        if (levels[levels.length - 1][0] == FULL) {
            higher();
        }
        int word = 0;
        for (int level = levels.length - 1; level >= 0; level--) {
            word = word << SHIFT | Long.numberOfTrailingZeros(~levels[level][word]);
            if (level > 0 && word >= levels[level - 1].length) {
                levels[level - 1] = Arrays.copyOf(levels[level - 1], 2 * word);
            }
        }
        taken(word);
        return word;
    }

    private void higher() {
        levels = Arrays.copyOf(levels, levels.length + 1);
        levels[levels.length - 1] = new long[] {1};
    }

    private void taken(final int place) {
        int bit = place;
        for (final long[] level : levels) {
            final int word = bit >>> SHIFT;
            level[word] |= 1L << bit;
            if (level[word] != FULL) {
                return;
            }
            bit = word;
        }
    }

    /** Gives a place back that was taken. */
    void free(final int place) {
        int bit = place;
        for (final long[] level : levels) {
            final int word = bit >>> SHIFT;
            final boolean wasFull = level[word] == FULL;
            level[word] &= ~(1L << bit);
            if (!wasFull) {
                return;
            }
            bit = word;
        }
    }

    long memoryUse() {
        long sum = 0;
        for (final long[] level : levels) {
            sum += Memory.of(level);
        }
        return sum;
    }
}
