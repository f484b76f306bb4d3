/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

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

    /** The names of the bits, without their C prefix. */
    public static final Names NAMES = Names.ofBits("LOCAL_INV", "REMOTE_INV", "FAST_REG_WR");

    private BmmeFlags() {
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
