/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

import java.util.Set;

/** What a region may be used for (checklist 9). */
public enum MrAccess {
    /** Collective operations; together with {@link #SEND} or {@link #RECV}. */
    COLLECTIVE(1L << 6),
    /** Local results of RMA reads and atomics are stored here. */
    READ(1L << 8),
    /** Local source of RMA writes and atomics. */
    WRITE(1L << 9),
    /** Received messages are stored here. */
    RECV(1L << 10),
    /** Messages are sent from here. */
    SEND(1L << 11),
    /** Peers may read; not in a domain that has RMA without {@link Capability#REMOTE_READ}. */
    REMOTE_READ(1L << 12),
    /**
     * Peers may write and run atomics: those that fetch tell them what was there, also without REMOTE_READ. Not in a
     * domain that has RMA without {@link Capability#REMOTE_WRITE}.
     */
    REMOTE_WRITE(1L << 13);

    private final long bit;

    MrAccess(final long bit) {
        this.bit = bit;
    }

    /**
     * The value in libfabric's headers.
     *
     * @return a bit.
     */
    public long bit() {
        return bit;
    }

    /**
     * The bits of several.
     *
     * @param set some of them.
     * @return their bits, or-ed.
     * @throws FabricException FI_EINVAL for null.
     */
    public static long bits(final Set<MrAccess> set) {
        return Flags.encode(set, MrAccess::bit);
    }

    /**
     * Takes bits apart.
     *
     * @param bits bits as libfabric has them.
     * @return a new set.
     * @throws FabricException FI_EBADFLAGS for a bit that is none of these.
     */
    public static Set<MrAccess> of(final long bits) {
        return Flags.decode(MrAccess.class, MrAccess::bit, bits);
    }
}
