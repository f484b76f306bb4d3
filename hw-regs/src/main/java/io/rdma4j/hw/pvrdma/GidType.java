/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * Kinds of GIDs, {@code PVRDMA_GID_TYPE_FLAG_*}: a mask in the capabilities, one of them in a binding.
 */
public final class GidType {
    /** RoCE v1: an Ethernet type of its own. */
    public static final int PVRDMA_GID_TYPE_FLAG_ROCE_V1 = 1 << 0;
    /** RoCE v2: over UDP. */
    public static final int PVRDMA_GID_TYPE_FLAG_ROCE_V2 = 1 << 1;

    /** The names of the bits, without their C prefix. */
    public static final Names NAMES = Names.ofBits("ROCE_V1", "ROCE_V2");

    private GidType() {
    }
}
