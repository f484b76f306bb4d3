/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** What of an endpoint a counter counts (flags of fi_ep_bind), bits of rdma/fabric.h. */
public enum CounterEvent {
    /** Messages that were sent. */
    SEND(1L << 11),
    /** Messages that were received. */
    RECV(1L << 10),
    /** RMA reads and fetching atomics that this side started. */
    READ(1L << 8),
    /** RMA writes and atomics that this side started. */
    WRITE(1L << 9),
    /** Writes of peers that carried data. Others are counted by region: {@link MemoryRegion#bind(Counter)}. */
    REMOTE_WRITE(1L << 13);

    private final long bit;

    CounterEvent(final long bit) {
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
}
