/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import java.security.SecureRandom;

/**
 * Turns the numbers of regions into keys that cannot be guessed from each other, and back: a permutation of 24 bits
 * that differs from device to device and from run to run, with 8 bits below it that somebody else chooses. Number 0
 * becomes 0: no other number's key is one that memory holds by chance.
 *
 * <pre>
 *   31                         8 7            0
 *   +---------------------------+--------------+
 *   |  permuted region number   | chosen byte  |
 *   +---------------------------+--------------+
 * </pre>
 */
final class KeyCipher {
    private static final int MASK = 0xff_ffff;

    private final int mask1;
    private final int mask2;
    private final int factor;
    private final int inverse;

    KeyCipher(SecureRandom random) {
        mask1 = random.nextInt() & MASK;
        factor = (random.nextInt() | 1) & MASK;
        final int mixed = mask1 * factor & MASK;
        mask2 = mixed ^ mixed >>> 12;
        int guess = factor;
        for (int i = 0; i < 5; i++) {
            guess *= 2 - factor * guess;
        }
        inverse = guess & MASK;
    }

    int key(int number, int low) {
        int x = (number ^ mask1) * factor & MASK;
        x ^= x >>> 12;
        x = (x ^ mask2) * factor & MASK;
        return x << 8 | low & 0xff;
    }

    int number(int key) {
        int x = (key >>> 8) * inverse & MASK ^ mask2;
        x ^= x >>> 12;
        return x * inverse & MASK ^ mask1;
    }
}
