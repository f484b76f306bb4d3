/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs.pvrdma;

/**
 * Keys of windows and of fast regions: the upper 24 bits are the device's and stay, the low byte changes with each use,
 * so that an old copy of the key is worth nothing (InfiniBand specification, L_Key and R_Key).
 */
final class Keys {
    private static final int VARIABLE = 0xff;

    private Keys() {
    }

    /** The same object's next key. */
    static int next(final int key) {
        return withVariable(key, key + 1);
    }

    /** A key with the variable part of another one. */
    static int withVariable(final int key, final int other) {
        return key & ~VARIABLE | other & VARIABLE;
    }

    /** Whether both name the same object. */
    static boolean areOfOne(final int key, final int other) {
        return ((key ^ other) & ~VARIABLE) == 0;
    }
}
