/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */

package io.rdma4j.fabric;

/** What is carried out in the order in which it was posted (msg_order of fi_endpoint), bits of rdma/fabric.h. */
public enum MessageOrder {
    /** A read after a read. */
    RAR(1L << 0),
    /** A read after a write: it sees what was written. */
    RAW(1L << 1),
    /** A read after a send. */
    RAS(1L << 2),
    /** A write after a read. */
    WAR(1L << 3),
    /** A write after a write. */
    WAW(1L << 4),
    /** A write after a send. */
    WAS(1L << 5),
    /** A send after a read. */
    SAR(1L << 6),
    /** A send after a write. */
    SAW(1L << 7),
    /** A send after a send. */
    SAS(1L << 8),
    /** {@link #RAR} of RMA. */
    RMA_RAR(1L << 32),
    /** {@link #RAW} of RMA. */
    RMA_RAW(1L << 33),
    /** {@link #WAR} of RMA. */
    RMA_WAR(1L << 34),
    /** {@link #WAW} of RMA. */
    RMA_WAW(1L << 35),
    /** {@link #RAR} of atomics. */
    ATOMIC_RAR(1L << 36),
    /** {@link #RAW} of atomics. */
    ATOMIC_RAW(1L << 37),
    /** {@link #WAR} of atomics. */
    ATOMIC_WAR(1L << 38),
    /** {@link #WAW} of atomics. */
    ATOMIC_WAW(1L << 39);

    private final long bit;

    MessageOrder(final long bit) {
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
