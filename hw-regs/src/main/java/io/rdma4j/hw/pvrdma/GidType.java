/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

/**
 * Kinds of GIDs, {@code PVRDMA_GID_TYPE_FLAG_*}: a mask in the capabilities, one of them in a binding.
 */
public final class GidType {
    /** RoCE v1: an Ethernet type of its own. */
    public static final int PVRDMA_GID_TYPE_FLAG_ROCE_V1 = 1 << 0;
    /** RoCE v2: over UDP. */
    public static final int PVRDMA_GID_TYPE_FLAG_ROCE_V2 = 1 << 1;

    private GidType() {
    }

    /**
     * Names the bits of a mask.
     *
     * @param mask any value
     * @return the names without their C prefix, joined by a bar; bits without a name in hexadecimal; 0 for no bit
     */
    public static String name(int mask) {
        return BitNames.of(mask, "ROCE_V1", "ROCE_V2");
    }
}
