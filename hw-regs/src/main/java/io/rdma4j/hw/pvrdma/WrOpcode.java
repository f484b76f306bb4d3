/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * What a work request in a send queue asks for, {@code enum pvrdma_wr_opcode}. libibverbs numbers the last ones
 * differently, so opcodes are mapped, never cast.
 */
public final class WrOpcode {
    /** Write to the peer's memory. */
    public static final int PVRDMA_WR_RDMA_WRITE = 0;
    /** Write, and consume a receive of the peer. */
    public static final int PVRDMA_WR_RDMA_WRITE_WITH_IMM = 1;
    /** Send into a receive of the peer. */
    public static final int PVRDMA_WR_SEND = 2;
    /** Send with 32 bits of immediate data. */
    public static final int PVRDMA_WR_SEND_WITH_IMM = 3;
    /** Read the peer's memory. */
    public static final int PVRDMA_WR_RDMA_READ = 4;
    /** Compare and swap 64 bits of the peer's memory. */
    public static final int PVRDMA_WR_ATOMIC_CMP_AND_SWP = 5;
    /** Fetch and add to 64 bits of the peer's memory. */
    public static final int PVRDMA_WR_ATOMIC_FETCH_AND_ADD = 6;
    /** Large send offload; has no layout. */
    public static final int PVRDMA_WR_LSO = 7;
    /** Send, and invalidate a key of the peer. */
    public static final int PVRDMA_WR_SEND_WITH_INV = 8;
    /** Read, and invalidate a local key. */
    public static final int PVRDMA_WR_RDMA_READ_WITH_INV = 9;
    /** Invalidate a local key. */
    public static final int PVRDMA_WR_LOCAL_INV = 10;
    /** Register pages under a key in queue order. */
    public static final int PVRDMA_WR_FAST_REG_MR = 11;
    /** Compare and swap under masks. */
    public static final int PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP = 12;
    /** Fetch and add with field boundaries. */
    public static final int PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD = 13;
    /** Bind a memory window; the layout is an extension of this project's own device. */
    public static final int PVRDMA_WR_BIND_MW = 14;
    /** Register with signatures; has no layout. */
    public static final int PVRDMA_WR_REG_SIG_MR = 15;
    /** No request. */
    public static final int PVRDMA_WR_ERROR = 16;

    /** The names of the values, without their C prefix. */
    public static final Names NAMES = value -> switch (value) {
        case PVRDMA_WR_RDMA_WRITE -> "RDMA_WRITE";
        case PVRDMA_WR_RDMA_WRITE_WITH_IMM -> "RDMA_WRITE_WITH_IMM";
        case PVRDMA_WR_SEND -> "SEND";
        case PVRDMA_WR_SEND_WITH_IMM -> "SEND_WITH_IMM";
        case PVRDMA_WR_RDMA_READ -> "RDMA_READ";
        case PVRDMA_WR_ATOMIC_CMP_AND_SWP -> "ATOMIC_CMP_AND_SWP";
        case PVRDMA_WR_ATOMIC_FETCH_AND_ADD -> "ATOMIC_FETCH_AND_ADD";
        case PVRDMA_WR_LSO -> "LSO";
        case PVRDMA_WR_SEND_WITH_INV -> "SEND_WITH_INV";
        case PVRDMA_WR_RDMA_READ_WITH_INV -> "RDMA_READ_WITH_INV";
        case PVRDMA_WR_LOCAL_INV -> "LOCAL_INV";
        case PVRDMA_WR_FAST_REG_MR -> "FAST_REG_MR";
        case PVRDMA_WR_MASKED_ATOMIC_CMP_AND_SWP -> "MASKED_ATOMIC_CMP_AND_SWP";
        case PVRDMA_WR_MASKED_ATOMIC_FETCH_AND_ADD -> "MASKED_ATOMIC_FETCH_AND_ADD";
        case PVRDMA_WR_BIND_MW -> "BIND_MW";
        case PVRDMA_WR_REG_SIG_MR -> "REG_SIG_MR";
        case PVRDMA_WR_ERROR -> "ERROR";
        default -> null;
    };

    private WrOpcode() {
    }
}
