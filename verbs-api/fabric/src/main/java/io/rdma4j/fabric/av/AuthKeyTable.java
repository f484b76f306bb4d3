/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric.av;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Authorization keys of a vector, and what they are called: numbers that no address has, as the bit below the receive
 * context is set. Not thread-safe.
 */
final class AuthKeyTable {
    private static final long FIRST = 0xffff_fffe_0000_0000L;

    private final Map<ByteBuffer, Long> names = new HashMap<>();
    private final List<byte[]> keys = new ArrayList<>();

    /** The name of a key, the same one for the same key. */
    long insert(final byte[] key) {
        final byte[] copy = key.clone();
        return names.computeIfAbsent(ByteBuffer.wrap(copy), any -> {
            keys.add(copy);
            return FIRST + keys.size() - 1;
        });
    }

    boolean contains(final long name) {
        return Long.compareUnsigned(name - FIRST, keys.size()) < 0;
    }

    /** A copy of a key that is in it. */
    byte[] lookup(final long name) {
        return keys.get((int) (name - FIRST)).clone();
    }

    /** Copies, in order. */
    List<byte[]> all() {
        return keys.stream().map(byte[]::clone).toList();
    }

    long memoryUse() {
        // Roughly what a map takes for each of its entries.
        return keys.stream().mapToLong(key -> Memory.of(key) + 128).sum();
    }
}
