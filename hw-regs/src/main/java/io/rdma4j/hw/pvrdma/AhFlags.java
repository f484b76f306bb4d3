/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

/**
 * Flags of an address, {@code enum pvrdma_ah_flags}.
 */
public final class AhFlags {
    /** There is a global route; on this device always. */
    public static final int PVRDMA_AH_GRH = 1 << 0;

    private AhFlags() {
    }

    /**
     * Names the bits of a mask.
     *
     * @param mask any value
     * @return the names without their C prefix, joined by a bar; bits without a name in hexadecimal; 0 for no bit
     */
    public static String name(int mask) {
        return BitNames.of(mask, "GRH");
    }
}
