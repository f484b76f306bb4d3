/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * What may be done with registered memory, {@code enum pvrdma_access_flags}.
 */
public final class AccessFlags {
    /** The device may write here for its owner. */
    public static final int PVRDMA_ACCESS_LOCAL_WRITE = 1 << 0;
    /** A peer may write. */
    public static final int PVRDMA_ACCESS_REMOTE_WRITE = 1 << 1;
    /** A peer may read. */
    public static final int PVRDMA_ACCESS_REMOTE_READ = 1 << 2;
    /** A peer may do atomics. */
    public static final int PVRDMA_ACCESS_REMOTE_ATOMIC = 1 << 3;
    /** Windows may be bound. */
    public static final int PVRDMA_ACCESS_MW_BIND = 1 << 4;
    /** Addresses count from 0. */
    public static final int PVRDMA_ZERO_BASED = 1 << 5;
    /** Pages are brought in when touched. */
    public static final int PVRDMA_ACCESS_ON_DEMAND = 1 << 6;
    /**
     * Wishes that a device may overlook, such as relaxed ordering: bits 20 to 29, {@code IB_ACCESS_OPTIONAL} of Linux'
     * {@code ib_verbs.h}. The pvrdma interface has no name for them, and Linux' driver hands them on.
     */
    public static final int IB_ACCESS_OPTIONAL = 0x3ff0_0000;

    /** The names of the bits, without their C prefix. */
    public static final Names NAMES = Names.ofBits("LOCAL_WRITE", "REMOTE_WRITE", "REMOTE_READ", "REMOTE_ATOMIC",
        "MW_BIND", "ZERO_BASED", "ON_DEMAND");

    private AccessFlags() {
    }
}
