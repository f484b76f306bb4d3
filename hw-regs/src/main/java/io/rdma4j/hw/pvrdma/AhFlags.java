/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * Flags of an address, {@code enum pvrdma_ah_flags}.
 */
public final class AhFlags {
    /** There is a global route; on this device always. */
    public static final int PVRDMA_AH_GRH = 1 << 0;

    /** The names of the bits, without their C prefix. */
    public static final Names NAMES = Names.ofBits("GRH");

    private AhFlags() {
    }
}
