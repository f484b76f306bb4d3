/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * Abilities beyond the pvrdma interface, told in {@code device_cap_flags2} of the capabilities. Only this project's own
 * device has them: whatever another one writes there means something else.
 */
public final class ExtensionFlags {
    /** Memory windows: CREATE_MW, DESTROY_MW and the BIND_MW work request. */
    public static final int RDMA4J_EXT_MEMORY_WINDOWS = 1 << 0;
    /** A completion queue can be given a new ring: RESIZE_CQ_RING. */
    public static final int RDMA4J_EXT_CQ_RESIZE = 1 << 1;
    /** Regions of more pages than one directory reaches: page directories of three levels. */
    public static final int RDMA4J_EXT_LARGE_REGIONS = 1 << 2;
    /** Regions with {@link AccessFlags#PVRDMA_ACCESS_ON_DEMAND}, whose pages are looked for at each access. */
    public static final int RDMA4J_EXT_ON_DEMAND_PAGING = 1 << 3;

    /** The names of the bits, without their C prefix. */
    public static final Names NAMES = Names.ofBits("MEMORY_WINDOWS", "CQ_RESIZE", "LARGE_REGIONS", "ON_DEMAND_PAGING");

    private ExtensionFlags() {
    }
}
