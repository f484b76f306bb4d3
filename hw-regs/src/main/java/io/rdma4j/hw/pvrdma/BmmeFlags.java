/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

/**
 * Memory management extensions, {@code PVRDMA_BMME_FLAG_*}; fast registration needs all of them.
 */
public final class BmmeFlags {
    /** LOCAL_INV works. */
    public static final int PVRDMA_BMME_FLAG_LOCAL_INV = 1 << 0;
    /** SEND_WITH_INV works. */
    public static final int PVRDMA_BMME_FLAG_REMOTE_INV = 1 << 1;
    /** FAST_REG_MR works. */
    public static final int PVRDMA_BMME_FLAG_FAST_REG_WR = 1 << 2;

    private BmmeFlags() {
    }

    /**
     * Names the bits of a mask.
     *
     * @param mask any value
     * @return the names without their C prefix, joined by a bar; bits without a name in hexadecimal; 0 for no bit
     */
    public static String name(int mask) {
        return BitNames.of(mask, "LOCAL_INV", "REMOTE_INV", "FAST_REG_WR");
    }

    /**
     * {@return whether fast registration can be used, which takes all bits}
     *
     * @param bmmeFlags from the capabilities
     */
    public static boolean hasFastRegistration(int bmmeFlags) {
        final int all = PVRDMA_BMME_FLAG_LOCAL_INV | PVRDMA_BMME_FLAG_REMOTE_INV | PVRDMA_BMME_FLAG_FAST_REG_WR;
        return (bmmeFlags & all) == all;
    }
}
