/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * Atomic operations of a device, {@code PVRDMA_ATOMIC_OP_*}.
 */
public final class AtomicOps {
    /** Compare and swap. */
    public static final int PVRDMA_ATOMIC_OP_COMP_SWAP = 1 << 0;
    /** Fetch and add. */
    public static final int PVRDMA_ATOMIC_OP_FETCH_ADD = 1 << 1;
    /** Masked compare and swap. */
    public static final int PVRDMA_ATOMIC_OP_MASK_COMP_SWAP = 1 << 2;
    /** Masked fetch and add. */
    public static final int PVRDMA_ATOMIC_OP_MASK_FETCH_ADD = 1 << 3;

    /** The names of the bits, without their C prefix. */
    public static final Names NAMES = Names.ofBits("COMP_SWAP", "FETCH_ADD", "MASK_COMP_SWAP", "MASK_FETCH_ADD");

    private AtomicOps() {
    }
}
