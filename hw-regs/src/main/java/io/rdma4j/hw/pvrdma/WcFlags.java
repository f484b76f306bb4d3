/*
 * Copyright 2026 the rdma4j authors.
 * SPDX-License-Identifier: Apache-2.0
 */
package io.rdma4j.hw.pvrdma;

import io.rdma4j.hw.layout.Names;

/**
 * What else a completion carries, {@code enum pvrdma_wc_flags}. libibverbs has the checksum and the invalidate bit
 * exchanged, so flags are mapped, never cast.
 */
public final class WcFlags {
    /** 40 bytes of global routing header precede the data. */
    public static final int PVRDMA_WC_GRH = 1 << 0;
    /** There is immediate data. */
    public static final int PVRDMA_WC_WITH_IMM = 1 << 1;
    /** A key was invalidated. */
    public static final int PVRDMA_WC_WITH_INVALIDATE = 1 << 2;
    /** The checksum was right. */
    public static final int PVRDMA_WC_IP_CSUM_OK = 1 << 3;
    /** The source MAC is valid. */
    public static final int PVRDMA_WC_WITH_SMAC = 1 << 4;
    /** A VLAN tag was present. */
    public static final int PVRDMA_WC_WITH_VLAN = 1 << 5;
    /** The kind of network header is valid. */
    public static final int PVRDMA_WC_WITH_NETWORK_HDR_TYPE = 1 << 6;

    /** The names of the bits, without their C prefix. */
    public static final Names NAMES = Names.ofBits("GRH", "WITH_IMM", "WITH_INVALIDATE", "IP_CSUM_OK", "WITH_SMAC",
        "WITH_VLAN", "WITH_NETWORK_HDR_TYPE");

    private WcFlags() {
    }
}
