/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.verbs;

import java.util.Objects;

/**
 * What a region allows (checklist 95). Local read is always allowed. Values are those of {@code enum ibv_access_flags}.
 */
public enum AccessFlag {
    /** The device may write here for local requests: receives, results of READs and atomics. */
    LOCAL_WRITE(1),
    /** Peers may write; needs {@link #LOCAL_WRITE}. */
    REMOTE_WRITE(2),
    /** Peers may read. */
    REMOTE_READ(4),
    /** Peers may run atomics; needs {@link #LOCAL_WRITE}. */
    REMOTE_ATOMIC(8),
    /** Memory windows may be bound here. */
    MW_BIND(16);

    private final int bit;

    AccessFlag(final int bit) {
        this.bit = bit;
    }

    /**
     * The bit on the wire.
     *
     * @return a power of two.
     */
    public int bit() {
        return bit;
    }

    /**
     * The bits of several flags.
     *
     * @param flags flags.
     * @return their bits, or-ed.
     * @throws NullPointerException if one of them, or all, is null.
     */
    public static int bits(final Iterable<AccessFlag> flags) {
        int bits = 0;
        for (final AccessFlag flag : Objects.requireNonNull(flags, "flags")) {
            bits |= Objects.requireNonNull(flag, "flag").bit;
        }
        return bits;
    }

    /**
     * The bits of several flags.
     *
     * @param flags flags.
     * @return their bits, or-ed.
     * @throws NullPointerException if one of them, or all, is null.
     */
    static int bits(final AccessFlag... flags) {
        int bits = 0;
        for (final AccessFlag flag : Objects.requireNonNull(flags, "flags")) {
            bits |= Objects.requireNonNull(flag, "flag").bit;
        }
        return bits;
    }
}
