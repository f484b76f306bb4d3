/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * What a completion completes, {@code enum pvrdma_wc_opcode}. From 6 on libibverbs numbers differently, so opcodes are
 * mapped, never cast.
 */
public final class WcOpcode {
    /** A send, with or without immediate data. */
    public static final int PVRDMA_WC_SEND = 0;
    /** A write. */
    public static final int PVRDMA_WC_RDMA_WRITE = 1;
    /** A read. */
    public static final int PVRDMA_WC_RDMA_READ = 2;
    /** A compare and swap. */
    public static final int PVRDMA_WC_COMP_SWAP = 3;
    /** A fetch and add. */
    public static final int PVRDMA_WC_FETCH_ADD = 4;
    /** A window was bound. */
    public static final int PVRDMA_WC_BIND_MW = 5;
    /** A large send. */
    public static final int PVRDMA_WC_LSO = 6;
    /** A key was invalidated. */
    public static final int PVRDMA_WC_LOCAL_INV = 7;
    /** A fast registration. */
    public static final int PVRDMA_WC_FAST_REG_MR = 8;
    /** A masked compare and swap. */
    public static final int PVRDMA_WC_MASKED_COMP_SWAP = 9;
    /** A masked fetch and add. */
    public static final int PVRDMA_WC_MASKED_FETCH_ADD = 10;
    /** A receive; all opcodes from here on are receives. */
    public static final int PVRDMA_WC_RECV = 128;
    /** A receive that a write with immediate data consumed. */
    public static final int PVRDMA_WC_RECV_RDMA_WITH_IMM = 129;

    /** The names of the values, without their C prefix. */
    public static final Names NAMES = value -> switch (value) {
        case PVRDMA_WC_SEND -> "SEND";
        case PVRDMA_WC_RDMA_WRITE -> "RDMA_WRITE";
        case PVRDMA_WC_RDMA_READ -> "RDMA_READ";
        case PVRDMA_WC_COMP_SWAP -> "COMP_SWAP";
        case PVRDMA_WC_FETCH_ADD -> "FETCH_ADD";
        case PVRDMA_WC_BIND_MW -> "BIND_MW";
        case PVRDMA_WC_LSO -> "LSO";
        case PVRDMA_WC_LOCAL_INV -> "LOCAL_INV";
        case PVRDMA_WC_FAST_REG_MR -> "FAST_REG_MR";
        case PVRDMA_WC_MASKED_COMP_SWAP -> "MASKED_COMP_SWAP";
        case PVRDMA_WC_MASKED_FETCH_ADD -> "MASKED_FETCH_ADD";
        case PVRDMA_WC_RECV -> "RECV";
        case PVRDMA_WC_RECV_RDMA_WITH_IMM -> "RECV_RDMA_WITH_IMM";
        default -> null;
    };

    private WcOpcode() {
    }
}
