/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.device.engine;

import java.util.random.RandomGenerator;

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
 *
 * <p>It is a Feistel network of two halves of 12 bits. No secret is a weak one: a permutation that multiplied by a
 * secret number let keys lie at a few distances from each other, whenever that number was of few bits.
 */
final class KeyCipher {
    private static final int HALF = 12;
    private static final int HALF_MASK = (1 << HALF) - 1;
    /** 2 to the 32 divided by the golden ratio: what differs in any bit differs in the upper ones of the product. */
    private static final int SPREAD = 0x9e37_79b1;

    private final int secret1;
    private final int secret2;
    private final int secret3;
    private final int zero;

    KeyCipher(RandomGenerator random) {
        secret1 = random.nextInt();
        secret2 = random.nextInt();
        secret3 = random.nextInt();
        zero = permuted(0);
    }

    int key(int number, int low) {
        return (permuted(number) ^ zero) << 8 | low & 0xff;
    }

    private int permuted(int number) {
        final int a = number >>> HALF & HALF_MASK;
        final int b = number & HALF_MASK;
        final int c = a ^ mixed(b, secret1);
        final int d = b ^ mixed(c, secret2);
        return d << HALF | c ^ mixed(d, secret3);
    }

    int number(int key) {
        final int x = key >>> 8 ^ zero;
        final int d = x >>> HALF;
        final int c = x & HALF_MASK ^ mixed(d, secret3);
        final int b = d ^ mixed(c, secret2);
        return (c ^ mixed(b, secret1)) << HALF | b;
    }

    private static int mixed(int half, int secret) {
        return (half ^ secret) * SPREAD >>> Integer.SIZE - HALF;
    }
}
